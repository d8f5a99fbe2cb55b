// Which answers a connection may see: each request at most one, each malformed message exactly one with id -1, and after a
// message that no client may send, none and the end.
import { Message, ErrorCode } from "../../../../dist/core/protocol/index.js"
import * as Framing from "../../../../dist/core/transport/Framing.js"

const keyOf = (id) => (typeof id === "string" ? JSON.stringify(id) : String(id))

/** What the server makes of these bytes: texts, or undefined where they are not UTF-8 and end the connection. */
const textsOf = (bytes, lines) => {
  if (!lines) {
    const text = Framing.decodeText(bytes)
    return text === undefined ? undefined : [text]
  }
  const decoder = new Framing.LineDecoder()
  const texts = decoder.push(Buffer.concat([bytes, Buffer.from("\n")]))
  return decoder.failure === undefined ? texts : undefined
}

/** The keys of the requests in it, and whether it ends the connection. */
export const read = (bytes, lines) => {
  const texts = textsOf(bytes, lines)
  if (texts === undefined) return { texts: [], keys: [], malformed: 0, ends: true }
  const keys = []
  let malformed = 0
  for (const text of texts) {
    const { _tag, right } = Message.fromText(text)
    if (_tag === "Left") malformed += 1
    else if (right.kind === "request") keys.push(keyOf(right.id))
    else if (right.kind !== "notification" || right.method !== "initialized")
      return { texts, keys, malformed, ends: true }
  }
  return { texts, keys, malformed, ends: false }
}

const malformedKey = String(Message.malformedId)

/** Counts for one connection. */
export const make = () => {
  const owed = new Map()
  const add = (key, count) => owed.set(key, (owed.get(key) ?? 0) + count)
  let [malformed, refusedAsMalformed] = [0, 0]
  return {
    sent: (entry) => {
      for (const key of entry.keys) add(key, 1)
      if (entry.malformed > 0) add(malformedKey, entry.malformed)
      malformed += entry.malformed
    },
    /** What is wrong with this answer, if anything is. */
    answered: ({ id, error }) => {
      const key = keyOf(id)
      const left = owed.get(key) ?? 0
      if (left === 0) return `an answer that was not asked for, or a second one: id ${key}`
      if (left === 1) owed.delete(key)
      else owed.set(key, left - 1)
      if (
        key === malformedKey &&
        error?.code === ErrorCode.invalidRequest &&
        error.message.startsWith("failed to parse")
      )
        refusedAsMalformed += 1
      return undefined
    },
    /** What is wrong once everything malformed must have been answered. */
    settled: () =>
      malformed === refusedAsMalformed
        ? undefined
        : `${malformed} malformed messages, ${refusedAsMalformed} answers to them`,
    owed: () => owed,
  }
}
