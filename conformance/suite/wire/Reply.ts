/**
 * Replies among the messages of a connection: read strictly, and found by the id of their request.
 */
import * as Check from "../Check.ts"
import { isObject, type Json } from "../Json.ts"
import * as WireInvariants from "../WireInvariants.ts"
import type { Message } from "./Inbox.ts"

/** The error of a reply. */
export interface Refusal {
  /** The JSON-RPC error code. */
  readonly code: number
  /** The text of the error. */
  readonly message: string
  /** Its data for programs, if any. */
  readonly data?: Json
}

/** A reply has a result or an error. */
export interface Reply {
  /** The result, if the request succeeded. */
  readonly result?: Json
  /** The error, if it was refused. */
  readonly error?: Refusal
  /** The message that carried the reply. */
  readonly message: Message
}

/** Reads a message as a reply; `undefined` for any other message. A malformed reply fails the case. */
export const from = (message: Message): Reply | undefined => {
  const { json } = message
  if (!isObject(json) || json["method"] !== undefined) return undefined
  const { error, result } = json
  if (result !== undefined) return { result, message }
  if (!isObject(error)) return Check.fail(`a reply has neither result nor error: ${Check.show(json)}`)
  const code = Check.integer(error["code"], "the code of an error")
  const text = Check.text(error["message"], "the message of an error")
  const { data } = error
  return { error: { code, message: text, ...(data === undefined ? {} : { data }) }, message }
}

/** True if a reply carries this id as a string: without this check the case would wait for it in vain. */
const carriesAsString = ({ json }: Message, id: number): boolean =>
  isObject(json) && json["method"] === undefined && json["id"] === String(id)

/** The reply to the request of this id among the messages from a position on, if it has come. */
export const find = (messages: ReadonlyArray<Message>, start: number, id: number): Reply | undefined => {
  for (let at = start; at < messages.length; at++) {
    const message = messages[at]
    if (message === undefined) continue
    if (WireInvariants.answers(message, id)) return from(message)
    if (carriesAsString(message, id)) Check.fail(`the id ${id} came back as the string "${id}"`)
  }
  return undefined
}

/** The first reply among the messages from a position on, whatever its id. */
export const first = (messages: ReadonlyArray<Message>, start: number): Reply | undefined => {
  for (const message of messages.slice(start)) {
    const reply = from(message)
    if (reply !== undefined) return reply
  }
  return undefined
}
