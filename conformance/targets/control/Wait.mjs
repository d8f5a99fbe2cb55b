// @ts-check
/**
 * `process/wait` of the control server: it looks at everything again after each change.
 *
 * Right as far as it goes: patterns are those of the engine, which searches in linear time where it would backtrack too
 * much.
 */
import { setFlagsFromString } from "node:v8"
import { invalidParams, invalidRequest, Refused } from "./Refused.mjs"

/**
 * @typedef {import("./Parts.mjs").Entry} Entry
 * @typedef {import("./Parts.mjs").Session} Session
 * @typedef {{ exit?: boolean, closed?: boolean, pattern?: string, stream?: string, flags?: string, idleMs?: number,
 *   bytes?: number, port?: number, host?: string, input?: boolean }} Condition
 * @typedef {{ after: number, begunAt: number, lastAt: number }} Begun
 */

const kinds = /** @type {const} */ (["exit", "closed", "pattern", "idleMs", "bytes", "port", "input"])
const retained = 1024 * 1024

/**
 * The expression for a pattern. Throws if there is none.
 * @param {Condition} condition
 */
export const expression = ({ pattern = "", flags = "" }) => {
  if (!/^[imsl]*$/.test(flags) || /\\[1-9]|\(\?<?[=!]/.test(pattern)) throw new Error("not supported")
  const source = flags.includes("l") ? pattern.replace(/[^\w\s]/g, "\\$&") : pattern
  return new RegExp(source, `${flags.replace("l", "")}`)
}

/** @param {Condition} condition */
const check = (condition) => {
  const [kind, ...others] = kinds.filter((kind) => condition[kind] !== undefined && condition[kind] !== null)
  const wrong =
    kind === undefined ||
    others.length > 0 ||
    condition[kind] === false ||
    condition.port === 0 ||
    (kind !== "pattern" && (condition.stream ?? condition.flags) !== undefined)
  if (wrong) throw new Refused(invalidParams, "no condition")
  if (kind !== "pattern") return
  try {
    expression(condition)
  } catch (error) {
    throw new Refused(invalidParams, `pattern ${condition.pattern}: ${error}`)
  }
}

/**
 * The first match in the output of one stream after a seq.
 * @param {Entry} entry
 * @param {string} stream
 * @param {Condition} condition
 * @param {number} after
 */
export const find = (entry, stream, condition, after) => {
  const chunks = entry.chunks.filter((chunk) => chunk.stream === stream && chunk.seq > after)
  const text = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString("latin1")
  const found = expression(condition).exec(text)
  const atEnd = /[^\\]\$$/.test(condition.pattern ?? "") && !(condition.flags ?? "").includes("m")
  if (found === null || (atEnd && !entry.closed)) return undefined
  const place = (/** @type {number} */ at, /** @type {boolean} */ isEnd) => {
    let offset = at
    for (const { seq, bytes } of chunks) {
      if (offset < bytes.length || (isEnd && offset === bytes.length)) return { seq, offset }
      offset -= bytes.length
    }
    return { seq: after, offset }
  }
  const end = found.index + found[0].length
  return { stream, text: found[0], from: place(found.index, false), to: place(end, true) }
}

/**
 * What shows that a condition holds.
 * @param {Session} session
 * @param {Entry} entry
 * @param {Condition} condition
 * @param {Begun} begun
 */
export const evidence = ({ parts }, entry, condition, begun) => {
  const { exit, closed, pattern, idleMs, bytes, port, input } = condition
  if (exit === true) return entry.exitedSeq > 0 ? { exitCode: entry.exitCode } : undefined
  if (closed === true) return entry.closed ? { exitCode: entry.exitCode } : undefined
  if (pattern !== undefined) {
    const streams = condition.stream === undefined ? ["stdout", "stderr"] : [condition.stream]
    const match = streams.map((stream) => parts.find(entry, stream, condition, begun.after)).find(Boolean)
    return match && { match }
  }
  if (idleMs !== undefined) {
    const idle = Math.floor(performance.now() - parts.quietSince(entry, begun))
    return idle >= idleMs ? { idleMs: idle } : undefined
  }
  if (port !== undefined) {
    const listener = parts.listener(entry, port)
    return listener && { port: listener }
  }
  if (input === true) {
    const asker = parts.asker(entry)
    return asker && { input: asker }
  }
  const count = sizeOf(entry.chunks.filter(({ seq }) => seq > begun.after))
  return bytes !== undefined && count >= bytes ? { bytes: count } : undefined
}

/** @param {Array<{ bytes: Buffer }>} chunks */
const sizeOf = (chunks) => chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)

/**
 * The output after a seq, at most so many bytes of it, half from each end.
 * @param {Entry} entry
 * @param {number} after
 * @param {number} most
 */
export const output = (entry, after, most) => {
  const chunks = entry.chunks.filter(({ seq }) => seq > after)
  const all = sizeOf(chunks)
  const headSize = all <= most ? all : Math.ceil(most / 2)
  const take = (/** @type {number} */ from, /** @type {number} */ to) => {
    let at = 0
    return chunks.flatMap(({ seq, stream, bytes }) => {
      const part = bytes.subarray(Math.max(0, from - at), Math.max(0, to - at))
      at += bytes.length
      return part.length === 0 ? [] : [{ seq, stream, chunk: part.toString("base64") }]
    })
  }
  const tailSize = all <= most ? 0 : most - headSize
  return {
    head: take(0, headSize),
    tail: take(all - tailSize, all),
    omittedBytes: all - headSize - tailSize,
  }
}

/**
 * @param {Session} session
 * @param {{ processId: string, afterSeq?: number | null, until: Array<Condition>, timeoutMs?: number | null,
 *   maxBytes?: number | null }} params
 */
export const wait = async (session, { processId, afterSeq, until, timeoutMs, maxBytes }) => {
  const { parts, processes } = session
  if (until.length === 0) throw new Refused(invalidParams, "until must name at least one condition")
  for (const condition of until) check(condition)
  const entry = processes.get(processId)
  if (entry === undefined) throw new Refused(invalidRequest, `unknown process id ${processId}`)
  if (parts.linear) setFlagsFromString("--enable-experimental-regexp-engine-on-excessive-backtracks")
  const now = performance.now()
  const after = parts.waitsAfter(afterSeq ?? 0, entry)
  const begun = { after, begunAt: now, lastAt: now }
  const first = entry.chunks[0]?.seq ?? entry.next
  const gap =
    entry.size + 65_536 > retained && first > after + 1 ? { from: after + 1, to: first - 1 } : undefined
  const found = await new Promise((/** @type {(met: any) => void} */ resolve) => {
    let seen = entry.next
    const look = () => {
      if (entry.next !== seen) begun.lastAt = performance.now()
      seen = entry.next
      const all = until.map((condition, index) => ({
        index,
        evidence: parts.evidence(session, entry, condition, begun),
      }))
      const held = all.filter(({ evidence }) => evidence !== undefined)
      const late = performance.now() - begun.begunAt >= (timeoutMs ?? Infinity)
      if (held.length === 0 && !late && !(entry.closed && parts.endsWait())) return
      clearInterval(timer)
      entry.waiting.delete(look)
      resolve(parts.chosen(held))
    }
    const timer = setInterval(look, 10)
    entry.waiting.add(look)
    look()
  })
  return {
    met: found?.index ?? null,
    evidence: found?.evidence ?? null,
    nextSeq: entry.next,
    exited: entry.exitedSeq > 0,
    exitCode: entry.exitCode,
    closed: entry.closed,
    ...parts.printed(entry, after, maxBytes ?? 65_536),
    ...parts.gap(gap),
  }
}
