// @ts-check
// Which answers a connection may get: at most one to each request, exactly one with id -1 to each malformed message,
// and none after a message that no client may send, which ends the connection.
import { ErrorCode, Message, Methods } from "../../../../dist/core/protocol/index.js"
import * as Framing from "../../../../dist/core/transport/Framing.js"

/**
 * What a server finds in some bytes.
 * @typedef {object} Entry
 * @property {readonly string[]} texts the messages; none where the bytes are not UTF-8
 * @property {readonly string[]} keys of the requests in them
 * @property {number} malformed how many messages are none
 * @property {boolean} ends true if they end the connection
 *
 * @typedef {{ id: unknown, error?: { code: number, message: string } }} Answer
 */

/** @param {unknown} id */
const keyOf = (id) => (typeof id === "string" ? JSON.stringify(id) : String(id))

/**
 * @param {Buffer} bytes
 * @param {boolean} lines true where a line is a message, false where the bytes are one
 * @returns {readonly string[] | undefined} undefined if they are not UTF-8
 */
const textsOf = (bytes, lines) => {
  if (!lines) {
    const text = Framing.decodeText(bytes)
    return text === undefined ? undefined : [text]
  }
  const decoder = new Framing.LineDecoder()
  const texts = decoder.push(Buffer.concat([bytes, Buffer.from("\n")]))
  return decoder.failure === undefined ? texts : undefined
}

/**
 * @param {Buffer} bytes
 * @param {boolean} lines
 * @returns {Entry}
 */
export const read = (bytes, lines) => {
  const texts = textsOf(bytes, lines)
  if (texts === undefined) return { texts: [], keys: [], malformed: 0, ends: true }
  const keys = []
  let malformed = 0
  for (const text of texts) {
    const message = Message.fromText(text)
    if (message._tag === "Left") malformed += 1
    else if (message.right.kind === "request") keys.push(keyOf(message.right.id))
    else if (message.right.kind !== "notification" || !Methods.isClientNotification(message.right.method))
      return { texts, keys, malformed, ends: true }
  }
  return { texts, keys, malformed, ends: false }
}

const malformedKey = String(Message.malformedId)

/** The ledger of one connection. */
export const make = () => {
  /** @type {Map<string, number>} Answers that may still come, by key. */
  const owed = new Map()
  /** @param {string} key @param {number} count */
  const add = (key, count) => owed.set(key, (owed.get(key) ?? 0) + count)
  let [malformed, refusedAsMalformed] = [0, 0]
  return {
    /** @param {Pick<Entry, "keys" | "malformed">} entry */
    sent: (entry) => {
      for (const key of entry.keys) add(key, 1)
      if (entry.malformed > 0) add(malformedKey, entry.malformed)
      malformed += entry.malformed
    },
    /** @param {Answer} answer @returns {string | undefined} what is wrong with it */
    answered: ({ id, error }) => {
      const key = keyOf(id)
      const left = owed.get(key) ?? 0
      if (left === 0) return `an answer that was not asked for, or a second one: id ${key}`
      if (left === 1) owed.delete(key)
      else owed.set(key, left - 1)
      const isRefusal =
        error?.code === ErrorCode.invalidRequest && error.message.startsWith("failed to parse")
      if (key === malformedKey && isRefusal) refusedAsMalformed += 1
      return undefined
    },
    /** What is wrong once everything malformed must have been answered. */
    settled: () =>
      malformed === refusedAsMalformed
        ? undefined
        : `${malformed} malformed messages, ${refusedAsMalformed} answers to them`,
  }
}
