/** The matches of a search, and their places: a match is found by its byte, and has a line and a chunk. */
import * as Effect from "effect/Effect"
import * as Lines from "../../pattern/Lines.ts"
import type { HistoryError } from "./HistoryFiles.ts"
import * as Reading from "./Reading.ts"

/** A line with a match. */
export interface Found {
  /** Its number, from 1. */
  readonly line: number
  /** Where it begins. */
  readonly byte: number
  /** The chunk that it begins in. */
  readonly seq: number
  /** At most its first 4,096 bytes, as UTF-8. */
  readonly text: string
  /** The lines before it, oldest first. */
  readonly before: ReadonlyArray<string>
  /** The lines behind it. */
  readonly after: ReadonlyArray<string>
}

/** A match whose line and chunk are not known. */
export interface Hit {
  readonly byte: number
  readonly text: string
  readonly before: ReadonlyArray<string>
  readonly after: Array<string>
  /** Where the next line behind it begins that it still wants. */
  next: number
}

/** Output that is read at once to find the lines and the chunks of matches, in bytes. */
const placingBytes = 64 * 1024

/** Matches with their lines and chunks. What was dropped since it was found has none any more. */
export const placed = (
  source: Reading.Source,
  hits: ReadonlyArray<Hit>,
): Effect.Effect<ReadonlyArray<Found>, HistoryError> =>
  Effect.gen(function* () {
    const found: Array<Found> = []
    const end = (hits.at(-1)?.byte ?? 0) + 1
    let next = 0
    for (let hit = hits[next]; hit !== undefined; hit = hits[next]) {
      const part = yield* Reading.read(source, hit.byte, end, placingBytes)
      if (part.chunks.length === 0) break
      let { byte: begin, line } = part
      for (const { bytes, seq } of part.chunks) {
        let counted = 0
        for (; (hit = hits[next]) !== undefined && hit.byte < begin + bytes.length; next += 1) {
          if (hit.byte < begin) continue
          const { byte, text, before, after } = hit
          line += Lines.count(bytes.subarray(counted, byte - begin))
          counted = byte - begin
          found.push({ line, byte, seq, text, before, after })
        }
        line += Lines.count(bytes.subarray(counted))
        begin += bytes.length
      }
    }
    return found
  })
