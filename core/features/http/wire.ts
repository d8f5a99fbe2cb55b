/**
 * Params and results of `http/request`, one HTTP exchange that the server makes, and of `http/request/bodyDelta`, the
 * frames of a streamed body.
 */
import * as Shape from "../../protocol/shape/index.ts"
import { toBase64, utf8, withinText } from "../../protocol/Bytes.ts"
import { U64 } from "../../protocol/Integers.ts"
import { request } from "../../protocol/Method.ts"
import * as Wire from "../Wire.ts"

/**
 * A header of the request. With the capability `httpHeaderEnvVars`, `valueEnvVar` names an environment variable of the
 * server whose value is appended to `value`.
 */
export const RequestHeader = Shape.struct("HttpHeader", {
  name: Shape.string,
  value: Shape.string,
  /** A variable of the server whose value is appended. */
  valueEnvVar: Shape.omittable(Shape.string),
})
/** A header of the request. */
export type RequestHeader = typeof RequestHeader.Type

/** A header of the response. */
export const ResponseHeader = Shape.struct("HttpResponseHeader", {
  name: Shape.string,
  value: Shape.string,
})
/** A header of the response. */
export type ResponseHeader = typeof ResponseHeader.Type

/** `timeoutMs` bounds the whole exchange, redirects and body included. `requestId` is repeated in the frames. */
export const RequestParams = Shape.struct("HttpRequestParams", {
  /** The method of HTTP. */
  method: Shape.string,
  /** The URL. */
  url: Shape.string,
  headers: Shape.withDefault(Shape.list(RequestHeader), () => []),
  bodyBase64: Shape.omittable(Shape.bytes),
  timeoutMs: Shape.omittable(U64),
  /** `follow` follows redirects; `stop` returns them. */
  redirectPolicy: Shape.withDefault(Shape.words("follow", "stop"), () => "follow" as const),
  requestId: Shape.string,
  /** True if the body comes in frames behind the answer. */
  streamResponse: Shape.flag,
})
/** Decoded params of `http/request`. */
export type RequestParams = typeof RequestParams.Type

/** Header names are in lower case and in the order in which they came. The body is empty if it is streamed. */
export const RequestResult = Shape.struct("HttpRequestResult", {
  /** The status of HTTP. */
  status: Shape.int("Int"),
  headers: Shape.list(ResponseHeader),
  bodyBase64: Shape.bytes,
})
/** The result of `http/request`. */
export type RequestResult = typeof RequestResult.Type

/** The JSON text of a result. Shape.bytes needs no escaping, so it is inserted as it is. */
export const resultText = ({ bodyBase64, ...rest }: RequestResult): string =>
  `${JSON.stringify(rest).slice(0, -1)},"bodyBase64":"${toBase64(bodyBase64)}"}`

/** A frame of a streamed body. `seq` counts from 1. The last frame has `done`, and `error` if the body broke off. */
export const BodyDeltaParams = Shape.struct("HttpRequestBodyDelta", {
  requestId: Shape.string,
  /** Counts the frames from 1. */
  seq: U64,
  /** The piece, as standard padded base64. */
  deltaBase64: Shape.bytes,
  /** True for the last frame. */
  done: Shape.flag,
  /** The error with which the body broke off. */
  error: Shape.nullable(Shape.string),
})
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
    delta: (bytes: Uint8Array): Uint8Array => withinText(head, `${(seq += 1)},"deltaBase64":"`, bytes, tail),
    done: (error: string | null): string =>
      `${start}${(seq += 1)},"deltaBase64":"","done":true,"error":${JSON.stringify(error)}}}`,
  }
}

/** The wire of the feature. */
export const http = Wire.make({
  capabilities: {},
  requests: {
    "http/request": request({
      params: RequestParams,
      result: RequestResult,
      toText: resultText,
      family: "http",
      slotted: true,
      cancellable: true,
      says: "one HTTP exchange from the server's host; its body whole, or streamed",
    }),
  },
  notifications: {
    "http/request/bodyDelta": { params: BodyDeltaParams, says: "a piece of a streamed body" },
  },
})
