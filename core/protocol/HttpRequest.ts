/**
 * Params and results of `http/request`, one HTTP exchange that the server makes, and of `http/request/bodyDelta`, the
 * frames of a streamed body.
 */
import * as Schema from "effect/Schema"
import * as Base64Bytes from "./Base64Bytes.ts"
import { Base64 } from "./Base64.ts"
import { toBase64, utf8 } from "./Bytes.ts"
import { flag, nullable, omittable } from "./Fields.ts"
import { U64 } from "./Integers.ts"
import { struct } from "./Later.ts"

/**
 * A header of the request. With the capability `httpHeaderEnvVars`, `valueEnvVar` names an environment variable of the
 * server whose value is appended to `value`.
 */
export const RequestHeader = struct("HttpHeader", () => ({
  name: Schema.String,
  value: Schema.String,
  valueEnvVar: omittable(Schema.String),
}))
/** A header of the request. */
export type RequestHeader = typeof RequestHeader.Type

/** A header of the response. */
export const ResponseHeader = struct("HttpResponseHeader", () => ({
  name: Schema.String,
  value: Schema.String,
}))
/** A header of the response. */
export type ResponseHeader = typeof ResponseHeader.Type

/** `timeoutMs` bounds the whole exchange, redirects and body included. `requestId` is repeated in the frames. */
export const RequestParams = struct("HttpRequestParams", () => ({
  method: Schema.String,
  url: Schema.String,
  headers: Schema.optionalWith(Schema.Array(RequestHeader), { default: () => [] }),
  bodyBase64: omittable(Base64),
  timeoutMs: omittable(U64),
  redirectPolicy: Schema.optionalWith(Schema.Literal("follow", "stop"), {
    default: () => "follow" as const,
  }),
  requestId: Schema.String,
  streamResponse: flag,
}))
/** Decoded params of `http/request`. */
export type RequestParams = typeof RequestParams.Type

/** Header names are in lower case and in the order in which they came. The body is empty if it is streamed. */
export const RequestResult = struct("HttpRequestResult", () => ({
  status: Schema.Int,
  headers: Schema.Array(ResponseHeader),
  bodyBase64: Base64,
}))
/** The result of `http/request`. */
export type RequestResult = typeof RequestResult.Type

/** The JSON text of a result. Base64 needs no escaping, so it is inserted as it is. */
export const resultText = ({ bodyBase64, ...rest }: RequestResult): string =>
  `${JSON.stringify(rest).slice(0, -1)},"bodyBase64":"${toBase64(bodyBase64)}"}`

/** A frame of a streamed body. `seq` counts from 1. The last frame has `done`, and `error` if the body broke off. */
export const BodyDeltaParams = struct("HttpRequestBodyDelta", () => ({
  requestId: Schema.String,
  seq: U64,
  deltaBase64: Base64,
  done: flag,
  error: nullable(Schema.String),
}))
/** A frame of a streamed body. */
export type BodyDeltaParams = typeof BodyDeltaParams.Type

/** The most bytes of a body in one frame: 1 MiB, so that its JSON stays below the 2 MiB that clients take. */
export const maxFrameBytes = 1024 * 1024

/** The longest `requestId` in UTF-16 units that keeps a frame below 2 MiB: JSON may need 6 bytes for each. */
export const maxRequestIdLength = 64 * 1024

const tail = utf8.encode('","done":false,"error":null}}')

/** Encodes the frames of one body and counts their seq; those with bytes as UTF-8 without joining strings. */
export const makeFrames = (requestId: string) => {
  const start = `{"method":"http/request/bodyDelta","params":{"requestId":${JSON.stringify(requestId)},"seq":`
  const head = utf8.encode(start)
  let seq = 0
  return {
    delta: (bytes: Uint8Array): Uint8Array =>
      Base64Bytes.within(head, `${(seq += 1)},"deltaBase64":"`, bytes, tail),
    done: (error: string | null): string =>
      `${start}${(seq += 1)},"deltaBase64":"","done":true,"error":${JSON.stringify(error)}}}`,
  }
}
