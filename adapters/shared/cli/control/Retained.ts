/** The output of a process without a history, as far as the ring of the server still has it. */
import * as Effect from "effect/Effect"
import type { RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import type { ReadResult } from "../../../../core/protocol/Process.ts"
import * as Message from "../words/Message.ts"

type Chunk = ReadResult["chunks"][number]

/** The most bytes of one answer: 1 MiB. */
export const pageBytes = 1024 * 1024

/** The part that is wanted. */
export interface Wanted {
  /** The chunks behind this seq. */
  readonly last: number
  /** Those in front of this one. */
  readonly end: number
  /** The seq of the process at first: it may print faster than it is read, so nobody waits for its end. */
  readonly listed: number
  /** The last lines only; undefined is all. */
  readonly lines: number | undefined
}

/** Calls `use` with each chunk that is wanted. What is gone of them is a line on stderr. */
export const each = <E>(
  child: Pick<RemoteProcess, "read">,
  { last, end, listed, lines }: Wanted,
  use: (chunk: Chunk) => Effect.Effect<void, E>,
) =>
  Effect.gen(function* () {
    const kept: Array<Chunk> = []
    for (let after = last; after < listed - 1;) {
      const { chunks } = yield* child.read({ afterSeq: after, maxBytes: pageBytes })
      const [first] = chunks
      if (first === undefined) break
      if (after === last && first.seq > last + 1 && lines === undefined)
        Message.say("what was printed before is no longer kept, for want of a history")
      const wanted = chunks.filter(({ seq }) => seq < end)
      if (lines === undefined) yield* Effect.forEach(wanted, use, { discard: true })
      else kept.push(...wanted)
      after = chunks.at(-1)?.seq ?? end
    }
    if (lines !== undefined) yield* Effect.forEach(lastLines(kept, lines), use, { discard: true })
  })

/** The end of a line, as a byte. */
export const newline = 10

/** The end of the chunks, from the begin of the last line but `lines` on. */
const lastLines = (chunks: ReadonlyArray<Chunk>, lines: number): ReadonlyArray<Chunk> => {
  let left = lines
  for (let index = chunks.length - 1; index >= 0; index -= 1) {
    const one = chunks[index]
    if (one === undefined) continue
    // The newline at the very end begins no line.
    let at = index === chunks.length - 1 ? one.chunk.length - 1 : one.chunk.length
    while ((at = one.chunk.subarray(0, at).lastIndexOf(newline)) >= 0) {
      left -= 1
      if (left === 0) return [{ ...one, chunk: one.chunk.subarray(at + 1) }, ...chunks.slice(index + 1)]
    }
  }
  return chunks
}
