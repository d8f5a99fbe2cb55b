// @ts-check
// Mutations of histories: of their files, of their index, and of the search in them.
import { elsewhere, one } from "./mutation.mjs"

/** @param {string} file @param {string} find @param {string} replace @param {string} says @param {string[]} cases */
const history = (file, find, replace, says, ...cases) =>
  elsewhere(one(`core/process/history/${file}`, find, replace, says, ...cases), "core/process/history")

export const histories = [
  one(
    "core/process/Sizes.ts",
    "({ after }) => after < first",
    "({ after }) => after <= first",
    "a part has the size behind its first chunk",
  ),
  one(
    "core/client/asciicast/CastWriter.ts",
    "? now : now - this.last",
    "? now : now",
    "a recording of version 3 has absolute times",
  ),
  one(
    "core/client/asciicast/Recording.ts",
    "this.pending?.seq === seq",
    "this.pending === null",
    "a chunk that two parts share is two events",
  ),
  one(
    "core/client/asciicast/Recording.ts",
    "next(text + recorder.flush(), {",
    "next(text, {",
    "a recording that goes on lacks the chunk that was printed last",
  ),
  history(
    "Reading.ts",
    "find(source, ({ seq }) => seq >= at),\n          (found) => found?.byte ?? end.byte,",
    "find(source, ({ seq }) => seq >= at),\n          (found) => found?.byte ?? source.end.byte,",
    "a part ends behind what was written while its end was looked for",
  ),
  one(
    "adapters/shared/cli/control/Past.ts",
    "if (seq > last && seq < end)",
    "if (seq > last)",
    "what a history has more than was asked for is shown twice",
  ),
  one(
    "adapters/shared/cli/control/Search.ts",
    "if (page.complete) yield* more(child, seen)",
    "if (page.complete) yield* more(child, yield* lastSeq(child))",
    "what is printed just behind a search waits for what is printed next",
  ),
  one(
    "adapters/shared/cli/words/Pacing.ts",
    "before = event.at",
    "before = 0",
    "events of a recording are played at their time since the begin, added up",
  ),
  history(
    "Segments.ts",
    "if (size <= this.maxBytes) break",
    "if (size <= 2 * this.maxBytes) break",
    "a history has twice its bytes while its oldest segment is read",
  ),
  history(
    "Segments.ts",
    "if (oldest?.readers !== 0 ||",
    "if (oldest === undefined ||",
    "a segment is written over while somebody reads it",
  ),
  history(
    "SegmentReader.ts",
    "if (segment.readers === undefined) return Effect.fail(gone)",
    "if (segment.readers === undefined) return Effect.void",
    "a segment is read that is being written over",
  ),
  history(
    "Reading.ts",
    "Math.max(from, record.byte)",
    "record.byte",
    "a part begins with its chunk",
    "process/history/begins-and-ends-anywhere",
  ),
  history(
    "Recovery.ts",
    "found.bytes + record.length > outputBytes",
    "found.bytes > outputBytes",
    "a record counts whose output is torn",
  ),
  history(
    "History.ts",
    "const isEmpty = !this.isWriting && this.filling.chunks === 0",
    "const isEmpty = this.filling.chunks === 0",
    "a read does not wait for what is on its way to the files",
  ),
  history(
    "History.ts",
    "this.isDue = this.filling.chunks > 0",
    "this.isDue = false",
    "a little output is never written",
  ),
  history(
    "Batch.ts",
    "    giveBack(array)\n    return next",
    "    giveBack(next)\n    return next",
    "two batches have the same memory",
  ),
  history(
    "LineSearch.ts",
    "if (this.matches(bytes, candidate)) return candidate",
    "return candidate",
    "a line with the text of a pattern matches",
    "process/grep/finds-lines",
  ),
  history(
    "Grep.ts",
    "complete: !grep.isFull",
    "complete: true",
    "every page is the last",
    "process/grep/gives-pages",
  ),
  history(
    "Matches.ts",
    "line += Lines.count(bytes.subarray(counted))",
    "line += 0",
    "the lines of matches are counted in their own chunks alone",
    "process/grep/finds-lines",
  ),
  history(
    "Matches.ts",
    "if (hit.byte < begin) continue",
    "if (hit.byte < 0) continue",
    "matches that were dropped are told with a place of others",
  ),
  history(
    "Histories.ts",
    "if (first > (gapAfter(process, seq)?.to ?? seq) + 1) break",
    "if (size === 0) break",
    "a read skips what only the log has, in front of the history",
  ),
  history(
    "Reading.ts",
    "begin === byte ?",
    "begin >= byte ?",
    "a line that was dropped while it was searched is told as a later one",
  ),
]
