/**
 * Params and results of `http/request`, one HTTP exchange that the server makes, and of `http/request/bodyDelta`, the
 * frames of a streamed body.
 */
import * as Schema from "effect/Schema"
import * as Base64Bytes from "../../protocol/Base64Bytes.ts"
import { Base64 } from "../../protocol/Base64.ts"
import { toBase64, utf8 } from "../../protocol/Bytes.ts"
import { flag, nullable, omittable } from "../../protocol/Fields.ts"
import { U64 } from "../../protocol/Integers.ts"
import { struct } from "../../protocol/Lazy.ts"
import { request } from "../../protocol/Method.ts"
import * as Wire from "../Wire.ts"

/**
 * A header of the request. With the capability `httpHeaderEnvVars`, `valueEnvVar` names an environment variable of the
 * server whose value is appended to `value`.
 */
export const RequestHeader = struct("HttpHeader", () => ({
  name: Schema.String,
  value: Schema.String,
  /** A variable of the server whose value is appended. */
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
  /** The method of HTTP. */
  method: Schema.String,
  /** The URL. */
  url: Schema.String,
  headers: Schema.optionalWith(Schema.Array(RequestHeader), { default: () => [] }),
  bodyBase64: omittable(Base64),
  timeoutMs: omittable(U64),
  /** Whether redirects are followed. */
  redirectPolicy: Schema.optionalWith(Schema.Literal("follow", "stop"), {
    default: () => "follow" as const,
  }),
  requestId: Schema.String,
  /** Whether the body comes in frames behind the answer. */
  streamResponse: flag,
}))
/** Decoded params of `http/request`. */
export type RequestParams = typeof RequestParams.Type

/** Header names are in lower case and in the order in which they came. The body is empty if it is streamed. */
export const RequestResult = struct("HttpRequestResult", () => ({
  /** The status of HTTP. */
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
  /** Counts the frames from 1. */
  seq: U64,
  /** The piece, as standard padded base64. */
  deltaBase64: Base64,
  /** Whether it is the last frame. */
  done: flag,
  /** Why the body broke off. */
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

Wire.document(http, {
  since: "1.0",
  adds: { "1.0": { httpHeaderEnvVars: ["HttpHeader.valueEnvVar"] } },
  examples: () => ({
    "http/request": {
      params: [
        {
          method: "POST",
          url: "https://example.com/",
          headers: [{ name: "authorization", value: "Bearer ", valueEnvVar: "TOKEN" }],
          bodyBase64: "aGVsbG8K",
          timeoutMs: 10_000,
          redirectPolicy: "follow",
          requestId: "r1",
          streamResponse: true,
        },
      ],
      result: [{ status: 200, headers: [{ name: "content-type", value: "text/plain" }], bodyBase64: "" }],
    },
    "http/request/bodyDelta": {
      params: [{ requestId: "r1", seq: 1, deltaBase64: "aGVsbG8K", done: false, error: null }],
    },
  }),
})
