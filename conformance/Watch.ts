/**
 * What must be true of every message in every case: an object without `jsonrpc`, either a well-formed reply or a
 * well-formed notification, and no second answer to one request.
 */
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
  "process/output": { processId: isText, seq: isSeq, stream: isStream, chunk: isBase64 },
  "process/exited": { processId: isText, seq: isSeq, exitCode: isInteger, sandboxDenied: isFlag },
  "process/closed": { processId: isText, seq: isSeq },
}

const faultOfReply = (reply: JsonObject): string | undefined => {
  if (typeof reply["id"] !== "string" && !isInteger(reply["id"]))
    return "its id is neither an integer nor a string"
  const hasResult = reply["result"] !== undefined
  const error = reply["error"]
  if (hasResult === (error !== undefined)) return "it must have either a result or an error"
  if (hasResult) return undefined
  if (!isObject(error) || !isInteger(error["code"]) || !isText(error["message"])) {
    return "its error must have an integer code and a text message"
  }
  return undefined
}

const faultOf = (message: Message): string | undefined => {
  if (message.unterminated) return "the line has no newline"
  const { json } = message
  if (!isObject(json)) return "it is not a JSON object"
  if (json["jsonrpc"] !== undefined) return "it has a jsonrpc member"
  const method = json["method"]
  if (method === undefined) return faultOfReply(json)
  if (typeof method !== "string") return "its method is not a string"
  const shape = notifications[method]
  if (shape === undefined) return undefined
  const params = json["params"]
  if (!isObject(params)) return "its params are not an object"
  const wrong = Object.keys(shape).find((field) => shape[field]?.(params[field]) === false)
  return wrong === undefined ? undefined : `its ${wrong} is missing or has the wrong type`
}

/** The first fault among the messages of one connection, in words. `asked` are the ids that the suite has made. */
export const fault = (messages: ReadonlyArray<Message>, asked: ReadonlySet<number>): string | undefined => {
  const answered = new Set<number>()
  for (const message of messages) {
    const wrong = faultOf(message)
    if (wrong !== undefined) return `a malformed message came (${wrong}): ${message.text.slice(0, 300)}`
    if (!isObject(message.json) || message.json["method"] !== undefined) continue
    const id = message.json["id"]
    if (typeof id !== "number" || !asked.has(id)) continue
    if (answered.has(id)) return `request ${id} was answered twice`
    answered.add(id)
  }
  return undefined
}

/** Whether a reply carries this id, in the same JSON type. */
export const answers = (message: Message, id: Json): boolean =>
  isObject(message.json) && message.json["method"] === undefined && same(message.json["id"], id)
