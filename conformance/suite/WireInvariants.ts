/**
 * The invariants of every message in every case: it is an object without `jsonrpc`, a well-formed reply or a
 * well-formed notification, and no request is answered twice.
 *
 * Well-formed means that it decodes against the method table, a result by the method of its request. Unknown members
 * are allowed. Members that the table makes optional for older servers (`sandboxDenied`) are required here.
 */
import * as Result from "effect/Result"
import * as Methods from "../../core/protocol/Methods.ts"
import * as V0 from "../../core/protocol/dialect/v0.ts"
import { type Any, decode } from "../../core/protocol/shape/index.ts"
import type { Dialect } from "./Dialect.ts"
import { isObject, same, type Json, type JsonObject } from "./Json.ts"
import type { Message } from "./wire/Inbox.ts"

type Shape = { readonly [field: string]: (value: Json | undefined) => boolean }

const isText = (value: Json | undefined): boolean => typeof value === "string"
const isInteger = (value: Json | undefined): boolean => typeof value === "number" && Number.isInteger(value)
const isSeq = (value: Json | undefined): boolean => isInteger(value) && Number(value) >= 1
const isFlag = (value: Json | undefined): boolean => typeof value === "boolean"
const isStream = (value: Json | undefined): boolean =>
  value === "stdout" || value === "stderr" || value === "pty"
/** Standard alphabet, padded, nothing else. */
const isBase64 = (value: Json | undefined): boolean =>
  typeof value === "string" &&
  value.length % 4 === 0 &&
  /^[A-Za-z0-9+/]*={0,2}$/.test(value) &&
  Buffer.from(value, "base64").toString("base64") === value

const notifications: { readonly [method: string]: Shape } = {
  "command/exec/outputDelta": {
    processId: isText,
    stream: (value) => value === "stdout" || value === "stderr",
    chunk: isBase64,
  },
  "command/exec/exited": { processId: isText, exitCode: isInteger },
  "process/output": { processId: isText, seq: isSeq, stream: isStream, chunk: isBase64 },
  "process/exited": { processId: isText, seq: isSeq, exitCode: isInteger, sandboxDenied: isFlag },
  "process/closed": { processId: isText, seq: isSeq },
  "session/taken": { sessionId: isText },
  "http/request/bodyDelta": {
    requestId: isText,
    seq: isSeq,
    deltaBase64: isBase64,
    done: isFlag,
    error: (value) => value === null || isText(value),
  },
  "fs/missingChanged": { watchId: isInteger },
}

/** The requests to which replies belong. */
export interface Questions {
  /** Ids that were used once, and must be answered once. */
  readonly asked: ReadonlySet<number>
  readonly methods: ReadonlyMap<Json, string | undefined>
}

type Decode = (value: unknown) => string | undefined

/** Makes a function that says why a value does not decode. */
const decoder =
  (shape: Any): Decode =>
  (value) =>
    Result.match(decode(shape, value, { plain: true }), {
      onFailure: (fault) => fault,
      onSuccess: () => undefined,
    })

interface Decoders {
  readonly results: ReadonlyMap<string, Decode>
  readonly params: ReadonlyMap<string, Decode>
}

const decodersOf = (table: {
  readonly requests: { readonly [name: string]: { readonly result: Any } }
  readonly serverNotifications: { readonly [name: string]: { readonly params: Any } }
}): Decoders => ({
  results: new Map(Object.entries(table.requests).map(([name, row]) => [name, decoder(row.result)])),
  params: new Map(
    Object.entries(table.serverNotifications).map(([name, row]) => [name, decoder(row.params)]),
  ),
})

const decoders: { readonly [dialect in Dialect]: Decoders } = {
  current: decodersOf(Methods),
  v0: decodersOf(V0),
}

const faultOfReply = (reply: JsonObject, questions: Questions, { results }: Decoders): string | undefined => {
  if (typeof reply["id"] !== "string" && !isInteger(reply["id"]))
    return "its id is neither an integer nor a string"
  const hasResult = reply["result"] !== undefined
  const error = reply["error"]
  if (hasResult === (error !== undefined)) return "it must have either a result or an error"
  if (hasResult) {
    const method = questions.methods.get(reply["id"] ?? null)
    const wrong = method === undefined ? undefined : results.get(method)?.(reply["result"])
    return wrong === undefined ? undefined : `it is no result of ${method}: ${wrong}`
  }
  if (!isObject(error) || !isInteger(error["code"]) || !isText(error["message"])) {
    return "its error must have an integer code and a text message"
  }
  return undefined
}

const faultOf = (message: Message, questions: Questions, wire: Decoders): string | undefined => {
  if (message.unterminated) return "the line has no newline"
  const { json } = message
  if (!isObject(json)) return "it is not a JSON object"
  if (json["jsonrpc"] !== undefined) return "it has a jsonrpc member"
  const method = json["method"]
  if (method === undefined) return faultOfReply(json, questions, wire)
  if (typeof method !== "string") return "its method is not a string"
  const shape = notifications[method] ?? {}
  const given = json["params"]
  if (notifications[method] !== undefined && !isObject(given)) return "its params are not an object"
  const wrong = Object.keys(shape).find((field) => shape[field]?.((given as JsonObject)[field]) === false)
  return wrong === undefined
    ? wire.params.get(method)?.(given)
    : `its ${wrong} is missing or has the wrong type`
}

/** The first fault among the messages of one connection, in words. */
export const fault = (
  messages: ReadonlyArray<Message>,
  questions: Questions,
  dialect: Dialect = "current",
): string | undefined => {
  const answered = new Set<number>()
  for (const message of messages) {
    const wrong = faultOf(message, questions, decoders[dialect])
    if (wrong !== undefined) return `a malformed message came (${wrong}): ${message.text.slice(0, 300)}`
    if (!isObject(message.json) || message.json["method"] !== undefined) continue
    const id = message.json["id"]
    if (typeof id !== "number" || !questions.asked.has(id)) continue
    if (answered.has(id)) return `request ${id} was answered twice`
    answered.add(id)
  }
  return undefined
}

/** True if a reply carries this id, in the same JSON type. */
export const answers = (message: Message, id: Json): boolean =>
  isObject(message.json) && message.json["method"] === undefined && same(message.json["id"], id)
