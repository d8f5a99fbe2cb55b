/** Output of a process since a seq: the seqs that are gone, and its first and last bytes. */
import type { Chunk } from "./Chunk.ts"
import type { Gap } from "./Extension.ts"
import type { OutputLog } from "./OutputLog.ts"
import type { Process } from "./Process.ts"

/** The first and the last of what was printed. */
export interface Printed {
  /** The first of it. */
  readonly head: ReadonlyArray<Chunk>
  /** Empty if the head has everything. */
  readonly tail: ReadonlyArray<Chunk>
  /** Bytes that were printed and are in neither. */
  readonly omittedBytes: number
}

/** The offset of the output above a seq, in bytes of the whole output as far as the log knows. */
export const offsetAfter = (log: OutputLog, seq: number): number => {
  const cursor = log.attach(seq)
  const lag = cursor.lag()
  cursor.detach()
  return log.written() - lag
}

/** The seqs of output above `seq` that the log no longer has. */
export const gapAfter = ({ log, exited, closed, extension }: Process, seq: number): Gap | undefined => {
  const end = log.after(seq)?.seq ?? log.nextSeq()
  const others = [exited, closed].filter((event) => event !== undefined && event.seq > seq && event.seq < end)
  const known = others.length + (extension?.own?.count(seq, end) ?? 0)
  return end - seq - 1 - known > 0 ? { from: seq + 1, to: end - 1 } : undefined
}

/**
 * At most `maxBytes` of the output after `seq`, which began at this offset: all that the log still has, or half from
 * each end of it.
 */
export const printed = (log: OutputLog, seq: number, from: number, maxBytes: number): Printed => {
  const all = log.written() - from
  const fits = log.written() - offsetAfter(log, seq) <= maxBytes
  const headBytes = fits ? maxBytes : Math.ceil(maxBytes / 2)
  const head = taken(headBytes, nextAfter(log, seq), (bytes, room) => bytes.slice(0, room))
  const last = fits ? [] : taken(maxBytes - headBytes, lastBefore(log, seq), keepEnd)
  const tail = last.sort((a, b) => a.seq - b.seq)
  return { head, tail, omittedBytes: Math.max(0, all - sizeOf(head) - sizeOf(tail)) }
}

const keepEnd = (bytes: Uint8Array, room: number) => bytes.slice(Math.max(0, bytes.length - room))

const sizeOf = (chunks: ReadonlyArray<Chunk>): number =>
  chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)

/** Copies: the views are valid until the next append. */
const taken = (
  most: number,
  next: () => Chunk | undefined,
  cut: (bytes: Uint8Array, room: number) => Uint8Array,
): Array<Chunk> => {
  const chunks: Array<Chunk> = []
  let room = most
  for (
    let chunk = room > 0 ? next() : undefined;
    chunk !== undefined;
    chunk = room > 0 ? next() : undefined
  ) {
    const bytes = cut(chunk.bytes, room)
    room -= bytes.length
    chunks.push({ ...chunk, bytes })
  }
  return chunks
}

const nextAfter = (log: OutputLog, start: number) => {
  let seq = start
  return () => {
    const chunk = log.after(seq)
    seq = chunk?.seq ?? seq
    return chunk
  }
}

/** The chunks above `seq` from the last one on. */
export const lastBefore = (log: OutputLog, start: number, end = log.nextSeq()) => {
  let seq = end
  return (): Chunk | undefined => {
    const oldest = log.after(start)?.seq ?? Infinity
    while (seq - 1 >= oldest) {
      seq -= 1
      const chunk = log.after(seq - 1)
      if (chunk?.seq === seq) return chunk
    }
    return undefined
  }
}
