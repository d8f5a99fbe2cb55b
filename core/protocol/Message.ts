/**
 * The envelope: JSON-RPC without the `jsonrpc` member.
 *
 * `fromText` classifies an incoming text as request, notification, response or error; a text that it refuses is
 * answered with id -1. Ids are strings or 64-bit integers and are echoed exactly, also above 2^53.
 */
import type { ReadResult } from "./Process.ts"
import * as Result from "effect/Result"
import { toBase64, utf8, withinText } from "./Bytes.ts"
import { type CutText, smallest } from "./CutText.ts"
import { internalError } from "./ErrorCode.ts"
import * as Json from "./Json.ts"
import { I64 } from "./Integers.ts"
import type { MemoryPool } from "./MemoryPool.ts"
import * as Shape from "./shape/index.ts"
import { run, Fault } from "./shape/Shape.ts"

/** A string, or an integer from -2^63 to 2^63-1 (bigint beyond 2^53). */
export type RequestId = string | number | bigint

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n

/** True for the id of a request. */
const isRequestId = (id: unknown): id is RequestId =>
  typeof id === "string" || typeof id === "number" || (typeof id === "bigint" && id >= least && id <= most)

/** The id of a request. */
const Id = Shape.leaf<RequestId>({}, (json) => {
  if (isRequestId(json)) return json
  throw new Fault("data did not match any variant of untagged enum RequestId")
})

/** W3C trace context, carried by requests. */
export const TraceContext = Shape.struct("W3cTraceContext", {
  traceparent: Shape.omittable(Shape.string),
  tracestate: Shape.omittable(Shape.string),
})

/** Names the request whose answer the client no longer waits for. */
export const CancelParams = Shape.struct("RequestCancelNotification", {
  /** The id of the request whose answer is no longer waited for. */
  id: Id,
})

/** W3C trace context, carried by requests. */
export interface TraceContext {
  /** The caller's span, in the form of the header of that name. */
  readonly traceparent?: string | null | undefined
  /** Additions of tracing systems, in the form of the header of that name. */
  readonly tracestate?: string | null | undefined
}

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
  /** The trace context of the caller, not validated (see `TraceContext`). */
  readonly trace?: TraceContext
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
  /** The result of the call. */
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
  /** Its data for programs, if any. */
  readonly data?: Json.Json | undefined
}

/** Any message, in either direction. */
export type Message = Request | Notification | Response | ErrorResponse

/** The id of the answer to a message that could not be parsed. */
export const malformedId = -1

/** Parses one message. A failure is the text of the error. */
export const fromText = (text: string | CutText, bounds?: Json.Bounds): Result.Result<Message, string> =>
  typeof text === "string" ? fromJson(() => Json.parse(text, bounds)) : fromCut(text, bounds)

/**
 * The same for a text that `fromText` refuses, where half characters are taken for text: so the request is known that
 * is to be refused for one.
 */
export const fromIllFormed = (
  text: string | CutText,
  bounds?: Json.Bounds,
): Result.Result<Message, string> => {
  const whole = typeof text === "string" ? text : text.whole()
  return fromJson(() => Json.parseIllFormed(whole, bounds))
}

/** The error of an answer whose id is null or missing; undefined for any other message. */
export const unaddressed = (
  text: string | CutText,
  bounds?: Json.Bounds,
): Omit<ErrorResponse, "kind" | "id"> | undefined => {
  const addressed = fromJson(() => {
    const json = Json.parseIllFormed(typeof text === "string" ? text : text.whole(), bounds)
    const lacksId = Json.isObject(json) && json["method"] === undefined && (json["id"] ?? null) === null
    return lacksId ? { ...json, id: malformedId } : null
  })
  if (Result.isFailure(addressed)) return undefined
  if (addressed.success.kind === "error") return addressed.success
  return addressed.success.kind === "response"
    ? { code: internalError, message: "the server has answered without the id of a request" }
    : undefined
}

const fromJson = (parse: () => Json.Json): Result.Result<Message, string> => {
  let json: Json.Json
  try {
    json = parse()
  } catch (error) {
    if (error instanceof Json.JsonError) return Result.fail(error.message)
    throw error
  }
  return Json.isObject(json) ? fromObject(json) : Result.fail("expected a JSON-RPC object")
}

/** The id of the request that its client cancels; undefined if the params name none. */
export const cancelledId = (params: Json.Json): RequestId | undefined => {
  const decoded = decodeCancel(params)
  return Result.isSuccess(decoded) ? decoded.success.id : undefined
}

/**
 * A request or a notification whose `params.chunk` are the bytes. Any other message is read from the text as it came,
 * and so are faults, for their positions.
 */
const fromCut = (cut: CutText, bounds?: Json.Bounds): Result.Result<Message, string> => {
  try {
    const json = Json.parse(cut.text, bounds, cut)
    const message = Json.isObject(json) ? fromObject(json) : Result.fail("")
    if (
      Result.isSuccess(message) &&
      "params" in message.success &&
      chunkOf(message.success.params) === cut.bytes
    )
      return message
  } catch (error) {
    if (!(error instanceof Json.JsonError)) throw error
  }
  return fromText(cut.whole(), bounds)
}

/** `{"id":…,"method":…,"params":…}`, with `trace` if there is one. */
export const requestText = (id: RequestId, method: string, params: unknown, trace?: TraceContext): string =>
  `{"id":${idText(id)},"method":${JSON.stringify(method)}${paramsText(params)}${traceText(trace)}}`

/**
 * The same, where `params.chunk` may be bytes, which are sent as base64. A long one never becomes a string: then this
 * is UTF-8, in memory of the pool if there is one.
 */
export const request = (
  id: RequestId,
  method: string,
  params: unknown,
  trace?: TraceContext,
  memory?: MemoryPool,
): string | Uint8Array => {
  // Also bytes of another realm, which are no `Uint8Array` of this one.
  if (!ArrayBuffer.isView(chunkOf(params))) return requestText(id, method, params, trace)
  const { chunk: bytes, ...others } = params as { readonly chunk: Uint8Array }
  if (bytes.length < smallest) return requestText(id, method, { ...others, chunk: toBase64(bytes) }, trace)
  const head = `{"id":${idText(id)},"method":${JSON.stringify(method)},"params":{"chunk":"`
  const rest = JSON.stringify({ chunk: "", ...others }).slice(emptyChunk.length)
  const tail = `"${rest}${traceText(trace)}}`
  return withinText(utf8.encode(head), "", bytes, utf8.encode(tail), memory)
}

const emptyChunk = JSON.stringify({ chunk: "" }).slice(0, -1)

/** `{"method":…,"params":…}` */
export const notificationText = (method: string, params: unknown): string =>
  `{"method":${JSON.stringify(method)}${paramsText(params)}}`

/** `{"id":…,"result":…}`; `result` is JSON text. */
export const responseText = (id: RequestId, result: string): string =>
  `{"id":${idText(id)},"result":${result}}`

/**
 * The JSON text of a result of `process/read`. Nearly every byte that a server sends is output, and base64 needs no
 * escaping: it is inserted as it is, about ten times faster than by `JSON.stringify`. A test holds the text equal to
 * that of the schema.
 */
export const readResultText = ({ chunks, ...state }: ReadResult): string =>
  `{"chunks":[${chunks.map(chunkText).join()}],${JSON.stringify(state).slice(1)}`

const chunkText = ({ seq, stream, chunk }: ReadResult["chunks"][number]): string =>
  `{"seq":${seq},"stream":"${stream}","chunk":"${toBase64(chunk)}"}`

/** `{"error":{"code":…,"data":…,"message":…},"id":…}`, without `data` if there is none. */
export const errorText = (id: RequestId, code: number, message: string, data?: Json.Json): string =>
  `{"error":{"code":${code}${dataText(data)},"message":${JSON.stringify(message)}},"id":${idText(id)}}`

const chunkOf = (params: unknown): unknown =>
  typeof params === "object" && params !== null && "chunk" in params ? params.chunk : undefined

const call = Shape.struct("", {
  id: Id,
  method: Shape.string,
  params: Shape.withDefault(Shape.unknown, () => null),
  trace: Shape.omittable(TraceContext),
})
const { id, method, params } = call.fields
const notification = Shape.struct("", { method, params })
const response = Shape.struct("", { id, result: Shape.unknown })
const errorResponse = Shape.struct("", {
  id,
  error: Shape.struct("JSONRPCErrorError", {
    code: I64,
    data: Shape.optional(Shape.unknown),
    message: Shape.string,
  }),
})

/** The texts for malformed messages do not name the field. */
const decoder =
  <A>({ read }: Shape.Shape<unknown>) =>
  (json: Json.Json) =>
    run<A>(read, json, { located: false })
const decodeNotification = decoder<Omit<Notification, "kind">>(notification)
const decodeCancel = decoder<{ readonly id: RequestId }>(CancelParams)
const decodeRequest = decoder<Omit<Request, "kind" | "trace"> & { readonly trace?: TraceContext | null }>(
  call,
)
const decodeResponse = decoder<Omit<Response, "kind">>(response)
const decodeErrorResponse = decoder<{
  readonly id: RequestId
  readonly error: Omit<ErrorResponse, "kind" | "id">
}>(errorResponse)

const fromObject = (json: { readonly [key: string]: Json.Json }): Result.Result<Message, string> => {
  if (json["method"] !== undefined) {
    if (json["id"] === undefined)
      return Result.map(decodeNotification(json), (notification) => ({
        kind: "notification",
        ...notification,
      }))
    return Result.map(decodeRequest(json), ({ trace, ...request }) =>
      trace == null ? { kind: "request", ...request } : { kind: "request", ...request, trace },
    )
  }
  if (json["error"] === undefined && json["result"] === undefined) return Result.fail("missing field `error`")
  if (json["result"] !== undefined)
    return Result.map(decodeResponse(json), (response) => ({ kind: "response", ...response }))
  return Result.map(decodeErrorResponse(json), ({ id, error }) => ({
    kind: "error",
    id,
    ...error,
  }))
}

const idText = (id: RequestId): string => (typeof id === "string" ? JSON.stringify(id) : String(id))

const dataText = (data: Json.Json | undefined): string =>
  data === undefined ? "" : `,"data":${JSON.stringify(data)}`

const traceText = (trace: TraceContext | undefined): string =>
  trace === undefined ? "" : `,"trace":${JSON.stringify(trace)}`

const paramsText = (params: unknown): string =>
  params === undefined ? "" : `,"params":${JSON.stringify(params)}`
