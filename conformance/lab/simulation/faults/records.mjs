// @ts-check
// Faults of histories, marks and lists. The programs `records` find them, which are not played otherwise.
import { faultIn, records as played } from "./fault.mjs"

/** @import { Fault } from "./fault.mjs" */

const history = faultIn("core/process/history/History.ts", played)
const waiters = faultIn("core/process/history/Waiters.ts", played)
const histories = faultIn("core/process/history/Histories.ts", played)
const segments = faultIn("core/process/history/Segments.ts", played)
const reading = faultIn("core/process/history/Reading.ts", played)
const grep = faultIn("core/process/history/Grep.ts", played)
const listing = faultIn("core/session/Listing.ts", played)
const numbered = faultIn("core/process/Numbered.ts", played)
const scanner = faultIn("core/process/marks/MarkScanner.ts", played)
const marks = faultIn("core/process/marks/Marks.ts", played)

/** @type {readonly Fault[]} */
export const records = [
  history("      batch.clear()\n", "", "a batch is written again and again"),
  waiters(
    "if (waiter.seq > seq) continue",
    "if (false) continue",
    "a history is asked before it has what was printed",
  ),
  history(
    "const before = this.isWriting ? this.spare.first : this.filling.first",
    "const before = this.filling.first",
    "what is being written counts as written",
  ),
  history("      yield* own.close\n", "", "the files of a forgotten process stay", {
    survives: "they go with the session, and nobody looks for them before",
  }),
  histories("      yield* history.written(gap.to)\n", "", "a read does not wait for what is being written"),
  segments(
    "if (size <= this.maxBytes) break",
    "if (size <= this.maxBytes / 2) break",
    "a history keeps half",
  ),
  segments(
    "      segment.bytes += output.length\n",
    "      if (segment.chunks > 0) segment.bytes += output.length\n",
    "the first batch of a segment is not counted",
  ),
  reading("begin === byte ?", "begin >= byte ?", "a line that was dropped is told as a later one", {
    ...played,
    survives:
      "the segment of a match has to be dropped between the scan that finds it and the look at its record",
  }),
  reading(
    "return byte + (Lines.behind(bytes, ends - line) ?? length)",
    "return byte + (Lines.behind(bytes, ends - line - 1) ?? length)",
    "a line begins one too early",
  ),
  grep(
    "    this.rest = concat([this.rest, bytes.subarray(Math.max(from, end))])\n",
    "    this.rest = new Uint8Array(0)\n",
    "a search drops the begin of a line",
  ),
  listing(
    "      return { rows, next: last }\n",
    "      return { rows, next: place }\n",
    "a page skips a process",
  ),
  listing(
    "const after = number === from.session ? from.process : 0",
    "const after = number === from.session ? Math.max(0, from.process - 1) : 0",
    "a page begins with the last of the page before",
  ),
  listing(
    "    for (const open of sessions(own - 1)) return yield open\n",
    "    yield* sessions(own - 1)\n",
    "a client sees later sessions",
  ),
  numbered("item.number > number)", "item.number >= number)", "a number is behind itself"),
  scanner(
    '        this.state = byte === bracket ? "sequence" : byte === esc ? "escape" : "text"\n        this.length = 0\n        return undefined\n      case "sequence":',
    '        this.state = byte === bracket ? "sequence" : byte === esc ? "escape" : "text"\n        return undefined\n      case "sequence":',
    "a sequence begins with the end of the last",
  ),
  marks("          from = end\n", "", "output in front of a mark is told twice"),
  marks("    process.wake()\n", "", "a mark wakes nobody"),
  marks(
    "Math.max(goneFrom(this.oldestKept()), this.marks.length - mostOfHistory)",
    "this.marks.length",
    "marks leave with the log, although a history has their output",
  ),
  marks("mark.seq > seq)", "mark.seq >= seq)", "a mark is told again"),
]
