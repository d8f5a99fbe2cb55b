/**
 * The envelope: JSON-RPC without the `jsonrpc` member.
 *
 * `fromText` classifies an incoming text as request, notification, response or error; a text that it refuses is
 * answered with id -1. Ids are strings or 64-bit integers and are echoed exactly, also above 2^53.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Json from "./Json.ts"

/** A string, or an integer from -2^63 to 2^63-1 (bigint beyond 2^53). */
export type RequestId = string | number | bigint

/** W3C trace context, carried by requests. */
export const TraceContext = Schema.Struct({
  traceparent: Schema.optional(Schema.NullOr(Schema.String)),
  tracestate: Schema.optional(Schema.NullOr(Schema.String)),
}).annotations({ identifier: "W3cTraceContext" })
/** W3C trace context. */
export type TraceContext = typeof TraceContext.Type

/** A call that wants an answer. */
export interface Request {
  /** The kind of the message. */
  readonly kind: "request"
  /** Repeated in the answer. */
  readonly id: RequestId
  /** The name of the method. */
  readonly method: string
  /** Null if absent. */
  readonly params: Json.Json
  /** The trace context of the caller, not validated (see `Trace`). */
  readonly trace?: Json.Json
}

/** A message that wants no answer. */
export interface Notification {
  /** The kind of the message. */
  readonly kind: "notification"
  /** The name of the method. */
  readonly method: string
  /** Null if absent. */
  readonly params: Json.Json
}

/** The answer of a call that succeeded. */
export interface Response {
  /** The kind of the message. */
  readonly kind: "response"
  /** That of the request. */
  readonly id: RequestId
  /** What the call returned. */
  readonly result: Json.Json
}

/** The answer of a call that failed. */
export interface ErrorResponse {
  /** The kind of the message. */
  readonly kind: "error"
  /** That of the request, or `malformedId`. */
  readonly id: RequestId
  /** One of `ErrorCode`. */
  readonly code: number
  /** The text of the error. */
  readonly message: string
}

/** Any message, in either direction. */
export type Message = Request | Notification | Response | ErrorResponse

/** The id of the answer to a message that could not be parsed. */
export const malformedId = -1

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n

/** Parses one message. Left is the text of the error. */
export const fromText = (text: string, bounds?: Json.Bounds): Either.Either<Message, string> => {
  let json: Json.Json
  try {
    json = Json.parse(text, bounds)
  } catch (error) {
    if (error instanceof Json.JsonError) return Either.left(error.message)
    throw error
  }
  return isObject(json) ? fromObject(json) : Either.left("expected a JSON-RPC object")
}

/** `{"id":…,"method":…,"params":…}`, with `trace` if there is one. */
export const requestText = (id: RequestId, method: string, params: unknown, trace?: TraceContext): string =>
  `{"id":${idText(id)},"method":${JSON.stringify(method)}${paramsText(params)}${traceText(trace)}}`

/** `{"method":…,"params":…}` */
export const notificationText = (method: string, params: unknown): string =>
  `{"method":${JSON.stringify(method)}${paramsText(params)}}`

/** `{"id":…,"result":…}`; `result` is JSON text. */
export const responseText = (id: RequestId, result: string): string =>
  `{"id":${idText(id)},"result":${result}}`

/** `{"error":{"code":…,"message":…},"id":…}` */
export const errorText = (id: RequestId, code: number, message: string): string =>
  `{"error":{"code":${code},"message":${JSON.stringify(message)}},"id":${idText(id)}}`

/** True for a JSON object. */
export const isObject = (json: Json.Json): json is { readonly [key: string]: Json.Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json) && !(json instanceof Json.Decimal)

/** The type of a JSON value in the words of the peer's decoder: `number`, `string "x"`, `null`, `map`, `sequence`. */
export const describe = (json: unknown): string => {
  if (json === null || json === undefined) return "null"
  if (typeof json === "string") return `string ${JSON.stringify(json)}`
  if (typeof json === "boolean") return `boolean \`${json}\``
  if (Array.isArray(json)) return "sequence"
  return typeof json === "object" && !(json instanceof Json.Decimal) ? "map" : "number"
}

const fromObject = (json: { readonly [key: string]: Json.Json }): Either.Either<Message, string> => {
  const { id, method, params = null, result, error, trace } = json
  if (method !== undefined) {
    if (typeof method !== "string") return Either.left(wrongType(method, "a string"))
    if (id === undefined) return Either.right({ kind: "notification", method, params })
    if (!isRequestId(id)) return Either.left(badId)
    if (trace === undefined || trace === null) return Either.right({ kind: "request", id, method, params })
    return isObject(trace)
      ? Either.right({ kind: "request", id, method, params, trace })
      : Either.left(wrongType(trace, "struct W3cTraceContext"))
  }
  if (result === undefined && error === undefined) return Either.left("missing field `error`")
  if (id === undefined) return Either.left("missing field `id`")
  if (!isRequestId(id)) return Either.left(badId)
  if (result !== undefined) return Either.right({ kind: "response", id, result })
  if (error === undefined || !isObject(error))
    return Either.left(wrongType(error, "struct JSONRPCErrorError"))
  const { code, message } = error
  if (typeof code !== "number") return Either.left("missing field `code`")
  if (typeof message !== "string") return Either.left("missing field `message`")
  return Either.right({ kind: "error", id, code, message })
}

const badId = "data did not match any variant of untagged enum RequestId"

const isRequestId = (json: Json.Json): json is RequestId =>
  typeof json === "string" ||
  typeof json === "number" ||
  (typeof json === "bigint" && json >= least && json <= most)

const wrongType = (json: Json.Json | undefined, expected: string): string =>
  `invalid type: ${describe(json)
    .replace(/^string .*/s, "string")
    .replace(/^boolean .*/s, "boolean")}, expected ${expected}`

const idText = (id: RequestId): string => (typeof id === "string" ? JSON.stringify(id) : String(id))

const traceText = (trace: TraceContext | undefined): string =>
  trace === undefined ? "" : `,"trace":${JSON.stringify(trace)}`

const paramsText = (params: unknown): string =>
  params === undefined ? "" : `,"params":${JSON.stringify(params)}`
