// @ts-check
// Faults in what is kept of output: histories, what is found in them, and pictures of the screen.
import { bytesOf, fault, openLines, params, result } from "./changes.mjs"

/** @import { WireFault } from "./changes.mjs" */
/** @import { Message } from "./relay.mjs" */

const mebibyte = 1024 * 1024

/** Starts with another history. @param {(history: Message | undefined) => Message | null | undefined} change */
const kept = (change) => params("process/start", (asked) => ({ ...asked, history: change(asked.history) }))

/** @param {(found: Message, asked: Message) => Message} change */
const history = (change) => result("process/history", change)

/** Matches of a search. @param {(match: Message) => Message} change */
const matches = (change) =>
  result("process/grep", (found) => ({ ...found, matches: found.matches.map(change) }))

/** @param {(picture: Message, asked: Message) => Message} change */
const picture = (change) => result("process/screen", change)

/** A place, a line further on. @param {Message | undefined} point */
const further = (point) => (point?.line ? { line: point.line + 1 } : point)

/** @type {readonly WireFault[]} */
export const records = [
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
  fault`screen-after-all: A picture says that it has everything, what is printed later too.
    process/screen/is-of-a-seq process/screen/is-of-then-in-a-flood`.by(
    picture((found) => ({ ...found, seq: Number.MAX_SAFE_INTEGER })),
  ),
  fault`screen-keeps-blanks: The lines of the text have blanks at their ends.
    process/screen/shows-what-is-seen`.by(
    picture((found) => ({ ...found, ...(found.text && { text: found.text.replaceAll("\n", "  \n") }) })),
  ),
  fault`screen-of-the-first-size: The size of a picture is the one that its terminal has begun with.
    process/screen/follows-a-resize`.by(picture((found) => ({ ...found, size: { rows: 24, columns: 80 } }))),
  fault`screen-of-what-is-retained: No process has a history, so its picture begins with what is retained.
    process/screen/goes-on-in-the-history`.by(kept(() => null)),
  fault`screen-painted-plain: What paints the picture is its text alone, without colors, title and places.
    process/screen/paints-itself`.by({
    ...params("process/screen", (asked) => ({ ...asked, formats: [...(asked.formats ?? []), "text"] })),
    ...picture(({ ansi, text, ...found }, { formats }) => ({
      ...found,
      ...((formats === undefined || formats.includes("text")) && { text }),
      ...(ansi !== undefined && { ansi: text.replaceAll("\n", "\r\n") }),
    })),
  }),
  fault`screen-without-colors: The spans of lines have no look.
    process/screen/has-colors-and-attributes`.by(
    picture((found) => ({
      ...found,
      ...(found.lines && {
        lines: found.lines.map((/** @type {Message} */ { spans, ...line }) => ({
          ...line,
          spans: spans.map((/** @type {Message} */ { text, columns }) => ({
            text,
            ...(columns && { columns }),
          })),
        })),
      }),
    })),
  ),
  fault`screen-without-modes: Title, alternate screen and visibility of the cursor are not told.
    process/screen/tells-title-cursor-and-alternate`.by(
    picture((found) => ({
      ...found,
      title: "",
      alternate: false,
      cursor: { ...found.cursor, visible: true },
    })),
  ),
  fault`screen-without-scrollback: Lines that have left the screen are in no picture.
    process/screen/has-what-has-left-the-screen`.params("process/screen", (asked) => ({
    ...asked,
    scrollback: 0,
  })),
]
