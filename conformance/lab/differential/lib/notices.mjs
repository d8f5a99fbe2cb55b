// @ts-check
// What a server says unasked on one connection, gathered so that it can be awaited and compared: the output of each
// process without the borders of its chunks, its end, streamed bodies, watches.
import { createHash } from "node:crypto"
import { bytesOf, members } from "./values.mjs"

/**
 * @typedef {object} Told what is known of one process
 * @property {number[]} seqs of everything
 * @property {unknown[]} exits
 * @property {number[]} closes
 * @property {{ seq: number, stream: string, text: string }[]} chunks
 */

/** A text that may be long. @param {string} text */
export const short = (text) =>
  text.length <= 1500
    ? text
    : `${text.length} bytes ${createHash("sha1").update(text, "latin1").digest("hex").slice(0, 8)}`

/** What is wrong with the seqs of a process that has closed, and of a stream that is done. @param {number[]} seqs */
const orderOf = (seqs) => {
  const sorted = [...seqs].sort((a, b) => a - b)
  return sorted.every((seq, index) => seq === index + 1)
    ? "1 to the last"
    : `not 1 to the last: ${sorted.slice(0, 20)}`
}

/** @param {Told} told @param {(text: string) => string} plain */
const saidBy = (told, plain) => {
  /** @type {Record<string, string>} */
  const output = {}
  for (const { stream, text } of [...told.chunks].sort((a, b) => a.seq - b.seq))
    output[stream] = (output[stream] ?? "") + text
  for (const stream of Object.keys(output)) output[stream] = short(plain(output[stream] ?? ""))
  const last = Math.max(0, ...told.seqs)
  return {
    ...output,
    exited: told.exits,
    closed: told.closes.length === 1 && told.closes[0] === last ? "last" : told.closes.length,
    ...(told.closes.length > 0 && { seqs: orderOf(told.seqs) }),
  }
}

/** @param {(text: string) => string} plain makes the places of both sides equal */
export const make = (plain) => {
  /** @type {Map<string, Told>} */
  const processes = new Map()
  /** @type {Map<string, { text: string, seqs: number[], ends: unknown[] }>} */
  const streams = new Map()
  /** @type {unknown[]} */
  const watches = []
  /** @type {unknown[]} */
  const others = []

  /** @param {string} id @returns {Told} */
  const processOf = (id) => {
    const known = processes.get(id) ?? { seqs: [], exits: [], closes: [], chunks: [] }
    processes.set(id, known)
    return known
  }

  /** @type {Record<string, (params: import("./values.mjs").Members) => void>} */
  const take = {
    "process/output": ({ processId, seq, stream, chunk }) => {
      const told = processOf(String(processId))
      told.seqs.push(Number(seq))
      told.chunks.push({ seq: Number(seq), stream: String(stream), text: bytesOf(chunk) })
    },
    "process/exited": ({ processId, seq, ...rest }) => {
      const told = processOf(String(processId))
      told.seqs.push(Number(seq))
      told.exits.push(rest)
    },
    "process/closed": ({ processId, seq, ...rest }) => {
      const told = processOf(String(processId))
      told.seqs.push(Number(seq))
      told.closes.push(Number(seq))
      if (Object.keys(rest).length > 0) told.exits.push(rest)
    },
    "http/request/bodyDelta": ({ requestId, seq, deltaBase64, done, error }) => {
      const stream = streams.get(String(requestId)) ?? { text: "", seqs: [], ends: [] }
      streams.set(String(requestId), stream)
      stream.seqs.push(Number(seq))
      stream.text += bytesOf(deltaBase64)
      if (done !== false || error !== null) stream.ends.push({ done, error })
    },
    "fs/missingChanged": (params) => watches.push(params),
  }

  return {
    /** @param {import("./values.mjs").Members} message */
    notice: (message) => {
      const one = take[String(message["method"])]
      if (one === undefined) others.push(message)
      else one(members(message["params"]))
    },
    /** True if the process has closed. @param {string} id */
    closed: (id) => (processes.get(id)?.closes.length ?? 0) > 0,
    /** How many bytes it has written. @param {string} id */
    written: (id) => (processes.get(id)?.chunks ?? []).reduce((sum, { text }) => sum + text.length, 0),
    /** True if the stream has ended. @param {string} id */
    done: (id) => (streams.get(id)?.ends.length ?? 0) > 0,
    /** True if the watch has fired. @param {number} id */
    fired: (id) => watches.some((one) => members(one)["watchId"] === id),
    /** What a process has said. @param {string} id */
    processSaid: (id) => {
      const told = processes.get(id)
      return told && saidBy(told, plain)
    },
    /** What has come of a body. @param {string} id */
    streamSaid: (id) => {
      const stream = streams.get(id)
      return stream && { body: short(plain(stream.text)), ends: stream.ends, seqs: orderOf(stream.seqs) }
    },
    rest: () => ({ watches: [...watches].map((one) => JSON.stringify(one)).sort(), others }),
  }
}
