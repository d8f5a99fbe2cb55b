/** One search for a pattern in one stream of a process, and the match that it has found. */
import type { State } from "../../pattern/Machine.ts"
import type { Pattern } from "../../pattern/Pattern.ts"
import { utf8Decoder } from "../../protocol/Bytes.ts"
import type { OutputStream } from "../../spawn/Spawner.ts"
import type { OutputLog } from "../../process/OutputLog.ts"
import { type Match, mostMatchBytes, type Place } from "./Condition.ts"
import { lastBefore } from "../../process/Printed.ts"

/** A search. Its match is the one that ends first; of those that end there, the longest. */
export interface Search {
  /** Names it: waits that ask for the same share it. */
  readonly key: string
  readonly pattern: Pattern
  readonly stream: OutputStream
  /** The text begins behind this seq. */
  readonly afterSeq: number
  /** How many waits it has. */
  users: number
  match: Match | undefined
}

/** Where a match ends. `ahead` is what comes there, as far as that was needed to know: a `Side`, or 0. */
export interface End {
  readonly at: Place
  readonly ahead: number
}

/** The match of a search that ends there. What the log has lost of its begin is left out. */
export const matchAt = (log: OutputLog, search: Search, { at, ahead }: End): Match => {
  const from = beginOf(log, search, at, ahead)
  return { stream: search.stream, from, to: at, text: textOf(log, search.stream, from, at) }
}

const beginOf = (log: OutputLog, { pattern, stream, afterSeq }: Search, end: Place, ahead: number): Place => {
  const machine = pattern.backwards
  let state = machine.start(ahead)
  let right = end
  let best = end
  const look = (state: State, here: Place) => {
    if (state.hits === undefined) return
    best = state.hits.here.length > 0 ? here : right
  }
  const next = lastBefore(log, afterSeq, end.seq + 1)
  for (let chunk = next(); chunk !== undefined; chunk = next()) {
    const { bytes, seq } = chunk
    if (chunk.stream !== stream) continue
    for (let offset = (seq === end.seq ? end.offset : bytes.length) - 1; offset >= 0; offset--) {
      state = machine.step(state, bytes[offset] ?? 0)
      const here = { seq, offset }
      look(state, here)
      if (state.held.length === 0) return best
      right = here
    }
  }
  return machine.atEnd(state).length > 0 ? right : best
}

const textOf = (log: OutputLog, stream: OutputStream, from: Place, to: Place): string => {
  const decoder = utf8Decoder()
  let text = ""
  let room = mostMatchBytes
  for (
    let chunk = log.after(from.seq - 1);
    chunk !== undefined && chunk.seq <= to.seq && room > 0;
    chunk = log.after(chunk.seq)
  ) {
    if (chunk.stream !== stream) continue
    const start = chunk.seq === from.seq ? from.offset : 0
    const end = chunk.seq === to.seq ? to.offset : chunk.bytes.length
    const bytes = chunk.bytes.subarray(start, Math.min(end, start + room))
    room -= bytes.length
    text += decoder.decode(bytes, { stream: true })
  }
  return text + decoder.decode()
}
