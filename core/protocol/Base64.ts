/** The schema of bytes on the wire; see `Bytes`, which programs without schemas use alone. */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { fromBase64, toBase64 } from "./Bytes.ts"
import { base64 } from "./decoding/Serde.ts"
import { readBy } from "./Fields.ts"
import { lazy } from "./Lazy.ts"

/** A base64 string on the wire, bytes in the program. */
export const Base64 = lazy(() =>
  Schema.transformOrFail(Schema.String, Schema.Uint8ArrayFromSelf, {
    strict: true,
    decode: (text, _, ast) =>
      Either.mapLeft(fromBase64(text), (message) => new ParseResult.Type(ast, text, message)),
    encode: (bytes) => ParseResult.succeed(toBase64(bytes)),
  }).annotations({
    identifier: "Base64",
    jsonSchema: { type: "string", contentEncoding: "base64" },
    // A `CutText` has decoded it.
    ...readBy((json: unknown, reading) =>
      json instanceof Uint8Array ? json : base64(json as string, reading),
    ),
  }),
)
