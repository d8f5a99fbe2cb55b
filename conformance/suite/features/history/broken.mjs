// @ts-check
// Servers that are wrong in histories, and what is found in them.
import { bytesOf, fault, openLines, params, result } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */
/** @import { Message } from "../../../lab/faults/wire/relay.mjs" */

const mebibyte = 1024 * 1024

/** Starts with another history. @param {(history: Message | undefined) => Message | null | undefined} change */
export const kept = (change) =>
  params("process/start", (asked) => ({ ...asked, history: change(asked.history) }))

/** @param {(found: Message, asked: Message) => Message} change */
const history = (change) => result("process/history", change)

/** Matches of a search. @param {(match: Message) => Message} change */
const matches = (change) =>
  result("process/grep", (found) => ({ ...found, matches: found.matches.map(change) }))

/** A place, a line further on. @param {Message | undefined} point */
const further = (point) => (point?.line ? { line: point.line + 1 } : point)

/** @type {readonly WireFault[]} */
export const broken = [
  fault`history-unasked: Every process has a history.
    process/history/refuses-what-it-cannot-mean`.by(kept((asked) => asked ?? { maxBytes: 64 * mebibyte })),
  fault`history-unbounded: A history has everything, whatever its bound.
    process/history/stays-within-its-bytes`.by(
    kept((asked) => asked && { ...asked, maxBytes: 64 * mebibyte }),
  ),
  fault`history-of-what-is-retained: What the server retains anyway is all that a history has.
    process/history/keeps-everything`.by(kept((asked) => asked && { ...asked, maxBytes: mebibyte })),
  fault`history-lines-from-zero: Lines are counted from 0.
    process/history/begins-and-ends-anywhere`.by({
    ...params("process/history", ({ from, to, ...asked }) => ({
      ...asked,
      from: further(from),
      to: further(to),
    })),
    ...history(({ line, ...found }) => ({ ...found, line: line - 1 })),
  }),
  fault`history-renumbered: The chunks of a part are numbered from 1.
    process/history/has-the-seqs-of-the-output`.by(
    history((found) => ({
      ...found,
      chunks: found.chunks.map((/** @type {Message} */ one, /** @type {number} */ at) => ({
        ...one,
        seq: at + 1,
      })),
    })),
  ),
  fault`history-sizes-of-now: All chunks have the size that the terminal has now.
    process/history/has-the-sizes-of-a-terminal`.by(
    history((found) => ({
      ...found,
      ...(found.sizes && { sizes: [{ ...found.sizes.at(-1), afterSeq: 0 }] }),
    })),
  ),
  fault`history-tail-of-ended-lines: What is behind the last end of a line is no line.
    process/history/gives-the-last-lines`.by({
    ...openLines,
    ...params("process/history", (asked, { open }) =>
      asked.tail && open ? { ...asked, tail: asked.tail + 1 } : asked,
    ),
  }),
  fault`history-times-in-seconds: The times of chunks are in seconds.
    process/history/has-times-and-sizes`.by(
    history((found) => ({
      ...found,
      ...(found.times && { times: found.times.map((/** @type {number} */ time) => Math.floor(time / 1000)) }),
    })),
  ),
  fault`grep-has-one-page: Every page is told to be the last.
    process/grep/gives-pages`.result("process/grep", (found) => ({ ...found, complete: true })),
  fault`grep-numbers-matches: A match has its number instead of that of its line.
    process/grep/finds-lines`.by(() => {
    let number = 0
    return matches((match) => ({ ...match, line: (number += 1) }))
  }),
  fault`grep-without-context: A match comes without the lines around it.
    process/grep/gives-the-lines-around`.by(matches((match) => ({ ...match, before: [], after: [] }))),
  fault`grep-over-lines: A match may reach over the end of a line.
    process/grep/matches-within-a-line`.by((c) => ({
    answered: (m, { method, params: asked }) => {
      if (method !== "process/grep" || m.result === undefined) return undefined
      const { processId, pattern } = asked
      return c.ask("process/history", { processId, maxBytes: mebibyte }).then(({ result: found }) => {
        const chunks = found.chunks.map((/** @type {Message} */ { chunk }) => bytesOf(chunk))
        const lines = Buffer.concat(chunks).toString("latin1").split("\n")
        const over = lines.flatMap((text, at) =>
          new RegExp(pattern, "m").test(lines.slice(at, at + 2).join("\n"))
            ? [{ line: at + 1, byte: 0, seq: 1, text, before: [], after: [] }]
            : [],
        )
        return { ...m, result: { ...m.result, matches: over } }
      })
    },
  })),
]
