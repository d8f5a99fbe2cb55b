// @ts-check
/** `process/history` and `process/grep` of the control server, which keeps histories in memory. */
import { invalidParams, invalidRequest, Refused } from "./Refused.mjs"
import { expression } from "./Wait.mjs"

/**
 * @typedef {import("./Parts.mjs").Chunk} Chunk
 * @typedef {import("./Parts.mjs").Entry} Entry
 * @typedef {import("./Parts.mjs").Session} Session
 * @typedef {{ seq?: number | null, byte?: number | null, line?: number | null, time?: number | null }} Point
 * @typedef {Chunk & { byte: number, line: number, time: number }} Kept
 * @typedef {{ maxBytes: number, chunks: Array<Kept>, byte: number, line: number }} History
 * @typedef {{ line: number, byte: number, seq: number, text: string, before: string[], after: string[] }} Match
 */

const mebibyte = 1024 * 1024

/** The history of a process that starts now. @param {number} maxBytes @returns {History} */
export const make = (maxBytes) => ({ maxBytes, chunks: [], byte: 0, line: 0 })

/** Takes a chunk down. @param {History} history @param {Chunk} chunk */
export const keep = (history, chunk) => {
  const { byte, line } = history
  history.chunks.push({ ...chunk, byte, line, time: Date.now() })
  history.byte += chunk.bytes.length
  history.line += chunk.bytes.toString("latin1").split("\n").length - 1
}

/** Drops what is too much. @param {History} history */
export const drop = (history) => {
  let size = history.byte - (history.chunks[0]?.byte ?? 0)
  while (size > history.maxBytes) size -= history.chunks.shift()?.bytes.length ?? size
}

/** Everything that is kept, as text of bytes. @param {Array<Kept>} chunks */
const textOf = (chunks) => Buffer.concat(chunks.map(({ bytes }) => bytes)).toString("latin1")

/** @param {Session} session @param {string} processId */
const find = (session, processId) => {
  const entry = session.processes.get(processId)
  if (entry === undefined) throw new Refused(invalidRequest, `unknown process id ${processId}`)
  if (entry.history === undefined) throw new Refused(invalidRequest, `process ${processId} has no history`)
  const chunks = session.parts.remembers(entry, entry.history)
  const text = textOf(chunks)
  const [first] = chunks
  return { entry, chunks, text, begin: first?.byte ?? entry.history.byte, line: first?.line ?? 0 }
}

/** Where a line begins, from 0. @param {string} text @param {number} line */
const beginOf = (text, line) => {
  let at = 0
  for (let left = line; left > 0; left--) at = text.indexOf("\n", at) + 1 || text.length
  return at
}

/** @param {ReturnType<typeof find>} found @param {Point} point @param {number} firstLine */
const placeOf = ({ chunks, text, begin, line }, point, firstLine) => {
  const [kind, ...others] = Object.entries(point).filter(([, value]) => value !== null)
  if (kind === undefined || others.length > 0 || point.line === 0)
    throw new Refused(invalidParams, "no place")
  const [name, at] = /** @type {[string, number]} */ (kind)
  const end = begin + text.length
  if (name === "byte") return Math.min(Math.max(at, begin), end)
  if (name === "line") return begin + beginOf(text, at - firstLine - line)
  return chunks.find((chunk) => (name === "seq" ? chunk.seq : chunk.time) >= at)?.byte ?? end
}

/**
 * @param {Session} session
 * @param {{ processId: string, from?: Point | null, to?: Point | null, tail?: number | null,
 *   maxBytes?: number | null }} params
 */
export const history = (session, { processId, from, to, tail, maxBytes }) => {
  const { parts } = session
  if (from != null && tail != null) throw new Refused(invalidParams, "tail and from")
  const found = find(session, processId)
  const { entry, chunks, text, begin, line } = found
  const end = begin + text.length
  const starts = tail == null ? [] : parts.lineStarts(text)
  const tailAt = tail == null || tail === 0 ? end : begin + (starts[Math.max(0, starts.length - tail)] ?? 0)
  const byte = tail != null ? tailAt : from == null ? begin : placeOf(found, from, parts.firstLine)
  const stop = Math.max(byte, Math.min(to == null ? end : placeOf(found, to, parts.firstLine), end))
  const nextByte = Math.min(stop, byte + (maxBytes ?? 65_536))
  const part = chunks.flatMap(({ seq, stream, bytes, byte: at }) => {
    const piece = bytes.subarray(Math.max(0, byte - at), Math.max(0, nextByte - at))
    return piece.length === 0 ? [] : [{ seq, stream, chunk: piece.toString("base64") }]
  })
  return {
    chunks: parts.numbered(part),
    byte,
    line: line + text.slice(0, byte - begin).split("\n").length,
    nextByte,
    eof: nextByte === stop,
    closed: entry.closed,
  }
}

/** Where lines begin. @param {string} text */
export const lineStarts = (text) => [
  ...(text === "" ? [] : [0]),
  ...[...text.matchAll(/\n(?!$(?![^]))/g)].map(({ index }) => index + 1),
]

/** Whether a line matches. @param {RegExp} pattern @param {Array<string>} lines @param {number} at */
export const matches = (pattern, lines, at) => pattern.test(lines[at] ?? "")

/**
 * @param {Session} session
 * @param {{ processId: string, pattern: string, flags?: string | null, from?: Point | null, to?: Point | null,
 *   before?: number | null, after?: number | null, maxMatches?: number | null }} params
 */
export const grep = (session, { processId, pattern, flags, from, before, after, maxMatches }) => {
  const { parts } = session
  const found = find(session, processId)
  const { entry, chunks, text, begin, line } = found
  const wanted = expression({ pattern, flags: `${(flags ?? "").replace("m", "")}m` })
  const lines = text.split("\n")
  const last = entry.closed && lines.at(-1) !== "" ? lines.length : lines.length - 1
  const start = from == null ? begin : placeOf(found, from, parts.firstLine)
  const around = (/** @type {number} */ first, /** @type {number} */ end) =>
    lines.slice(Math.max(0, first), Math.min(last, end))
  /** @type {Array<Match>} */
  const all = []
  let [at, byte, complete] = [0, begin, true]
  for (; at < last; byte += (lines[at++] ?? "").length + 1) {
    if (byte < start || !parts.lineMatches(wanted, lines, at)) continue
    if (all.length >= (maxMatches ?? 100)) {
      complete = false
      break
    }
    const { seq } = chunks.findLast((chunk) => chunk.byte <= byte) ?? { seq: 0 }
    const number = line + at + parts.firstLine
    const [lead, rest] = [around(at - (before ?? 0), at), around(at + 1, at + 1 + (after ?? 0))]
    all.push({ line: number, byte, seq, text: lines[at] ?? "", before: lead, after: rest })
  }
  return {
    matches: all.map(parts.matched),
    complete: parts.isComplete(complete),
    nextByte: Math.min(byte, begin + text.length),
    closed: entry.closed,
  }
}

/** Refuses a history that is too small. @param {{ maxBytes: number } | null | undefined} asked */
export const check = (asked) => {
  if (asked != null && asked.maxBytes < mebibyte)
    throw new Refused(invalidParams, "a history of a mebibyte at least")
}
