/**
 * The index of a history: for each chunk of output a record of 40 bytes, in the order of seq.
 *
 * A record names bytes that were written before it, and has a check sum: of an index that was torn by a crash, records
 * are good up to the first that is not.
 */
import type { OutputStream } from "../../spawn/Spawner.ts"

/** A place in the output: so many bytes, and so many ends of lines, are before it. */
export interface Place {
  readonly byte: number
  readonly line: number
}

/** Bytes of a record. */
export const recordBytes = 40

export interface Record {
  /** That of the chunk. */
  readonly seq: number
  /** Its place in the whole output, in bytes. */
  readonly byte: number
  /** Ends of lines before it, in the whole output. */
  readonly line: number
  /** When it was taken, in milliseconds since 1970. */
  readonly time: number
  /** Its bytes. */
  readonly length: number
  /** Its stream. */
  readonly stream: OutputStream
}

const streams: ReadonlyArray<OutputStream> = ["stdout", "stderr", "pty"]

export const write = (into: Uint8Array, at: number, record: Record): void => {
  const view = new DataView(into.buffer, into.byteOffset + at, recordBytes)
  view.setFloat64(0, record.seq)
  view.setFloat64(8, record.byte)
  view.setFloat64(16, record.line)
  view.setFloat64(24, record.time)
  view.setUint32(32, record.length * 4 + streams.indexOf(record.stream))
  view.setUint32(36, sumOf(view))
}

/** The record at that place; undefined if it is torn. */
export const read = (from: Uint8Array, at: number): Record | undefined => {
  if (at + recordBytes > from.length) return undefined
  const view = new DataView(from.buffer, from.byteOffset + at, recordBytes)
  if (view.getUint32(36) !== sumOf(view)) return undefined
  const last = view.getUint32(32)
  return {
    seq: view.getFloat64(0),
    byte: view.getFloat64(8),
    line: view.getFloat64(16),
    time: view.getFloat64(24),
    length: Math.floor(last / 4),
    stream: streams[last % 4] ?? "stdout",
  }
}

/** FNV-1a over the words before the sum; never that of a record of zeros. */
const sumOf = (view: DataView): number => {
  let sum = 0x811c9dc5
  for (let at = 0; at < recordBytes - 4; at += 4) {
    sum = Math.imul(sum ^ view.getUint32(at), 0x01000193)
    sum ^= sum >>> 15
  }
  return sum >>> 0
}
