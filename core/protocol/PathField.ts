/** The schemas of paths in params; see `PathUri`, which programs without schemas use alone. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type Judge, text } from "./decoding/Serde.ts"
import { readBy } from "./Fields.ts"
import { lazy } from "./Lazy.ts"
import * as PathUri from "./PathUri.ts"

/** Why a text is no `file:` URI without a NUL. */
const fault: Judge = (uri, platform) =>
  Either.match(PathUri.canonical(uri, platform), {
    onLeft: ({ message }) => message,
    onRight: () => undefined,
  })

/** Earlier clients send an absolute POSIX path in the place of a URI. */
const faultOfEither: Judge = (text, platform) =>
  PathUri.isNativePath(text) ? undefined : fault(text, platform)

const judged = (judge: Judge, identifier: string, jsonSchema: object) =>
  Schema.String.pipe(
    Schema.filter((uri) => judge(uri, "this host") ?? true, {
      identifier,
      jsonSchema,
      ...readBy(text(judge)),
    }),
  )

/** A path in params, a `file:` URI of any host. */
export const Uri = lazy(() => judged(fault, "PathUri", { type: "string", format: "uri" }))

/** The same, or an absolute native path. */
export const UriOrPath = lazy(() => judged(faultOfEither, "PathUriOrPath", { type: "string" }))
