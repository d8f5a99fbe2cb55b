/** The shapes of paths in params; see `PathUri`. */
import * as Result from "effect/Result"
import * as PathUri from "./PathUri.ts"
import { type Judge, text } from "./shape/index.ts"

/** Why a text is no `file:` URI without a NUL. */
const fault: Judge = (uri, platform) =>
  Result.match(PathUri.canonical(uri, platform), {
    onFailure: ({ message }) => message,
    onSuccess: () => undefined,
  })

/** Earlier clients send an absolute POSIX path in the place of a URI. */
const faultOfEither: Judge = (text, platform) =>
  PathUri.isNativePath(text) ? undefined : fault(text, platform)

/** A path in params, a `file:` URI of any host. */
export const Uri = text(fault, { format: "uri" })

/** The same, or an absolute native path. */
export const UriOrPath = text(faultOfEither, {})
