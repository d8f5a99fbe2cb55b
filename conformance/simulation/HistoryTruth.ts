/** Places, lines and parts of what a child has really printed: what a history tells is compared with it. */
import type { OutputPoint } from "../../core/client/RemoteProcess.ts"
import type { HistoryResult } from "../../core/protocol/History.ts"
import type { Truth } from "./Truth.ts"
import { epoch } from "./World.ts"

/** What there was when something was asked for. */
export interface Before {
  /** Bytes of output. */
  readonly total: number
  /** Chunks. */
  readonly pieces: number
}

/** A place that depends on when the server has looked: not in front of the first one, and not behind the other. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** What is asked of a history. */
export interface Asked {
  readonly from?: OutputPoint
  readonly to?: OutputPoint
  readonly tail?: number
  readonly maxBytes: number
}

const lineEnd = 0x0a

/** Milliseconds that output may wait for its place in a history. */
const mostLate = 60_000

/** Most chunks of a part. */
const mostChunks = 16_384

/** What there is now. */
export const beforeOf = ({ total, pieces }: Truth): Before => ({ total, pieces: pieces.length })

/** Where each line begins in some output; the last one has no end, and may be empty. */
export const linesOf = (output: Uint8Array): ReadonlyArray<number> => {
  const begins = [0]
  for (let at = output.indexOf(lineEnd); at !== -1; at = output.indexOf(lineEnd, at + 1)) begins.push(at + 1)
  return begins
}

/** The index of the chunk with a byte. */
export const indexAt = ({ pieces }: Truth, byte: number): number =>
  pieces.findIndex(({ offset, length }) => offset + length > byte)

/** True if the history may have dropped everything in front of a byte. */
export const mayBeginAt = (truth: Truth, byte: number): boolean =>
  byte === 0 || truth.mayHaveLeftHistory(indexAt(truth, byte - 1))

/** The place of a point. What it is at the end moves as long as the child prints. */
export const placeOf = (
  truth: Truth,
  { total }: Before,
  point: OutputPoint | undefined,
): Range | undefined => {
  const at = (place: number | undefined): Range =>
    place !== undefined && place <= total
      ? { from: place, to: place }
      : { from: total, to: Math.min(place ?? truth.total, truth.total) }
  const { seq, byte, line, time } = point ?? {}
  if (byte != null) return at(byte)
  if (line != null) return at(linesOf(truth.noise.bytes(0, truth.total))[line - 1])
  if (seq != null) {
    const places = [seq - 1, ...(truth.exitedAt === undefined ? [] : [seq - 2])].map((index) =>
      at(truth.pieces[Math.max(0, index)]?.offset),
    )
    return {
      from: Math.min(...places.map(({ from }) => from)),
      to: Math.max(...places.map(({ to }) => to)),
    }
  }
  if (time == null) return undefined
  const first = (millis: number) => truth.pieces.find((piece) => epoch + piece.at >= millis)?.offset
  return { from: at(first(time - mostLate)).from, to: at(first(time)).to }
}

/** Where the last lines begin, if nothing was printed meanwhile. */
const tailOf = (truth: Truth, { total }: Before, lines: number): Range | undefined => {
  if (truth.total !== total) return undefined
  const begins = linesOf(truth.noise.bytes(0, total))
  const whole = begins.at(-1) === total ? begins.slice(0, -1) : begins
  const place = lines === 0 ? total : (whole[Math.max(0, whole.length - lines)] ?? 0)
  return { from: place, to: place }
}

/** What is wrong with a part of the output; undefined if it is what was asked for. */
export const partFault = (
  truth: Truth,
  asked: Asked,
  before: Before,
  answer: HistoryResult,
): string | undefined => {
  const { byte, line, nextByte, ended } = answer
  if (ended !== undefined && truth.historyBytes !== undefined) return `it has ended: ${ended.message}`
  if (answer.closed && !truth.closed) return "it is told to be closed, and is not"
  const content = contentFault(truth, answer)
  if (content !== undefined) return content
  const begins = linesOf(truth.noise.bytes(0, byte))
  if (line !== begins.length) return `byte ${byte} is told to be in line ${line}, and is in ${begins.length}`
  return (
    placeFault(truth, asked, { ...before, total: Math.min(before.total, ended?.byte ?? Infinity) }, answer) ??
    (nextByte > truth.total ? `it ends at ${nextByte} of ${truth.total}` : undefined)
  )
}

/** Every byte stands where the child wrote it, in its chunk. */
const contentFault = (truth: Truth, { chunks, byte, nextByte }: HistoryResult): string | undefined => {
  let at = byte
  let last = 0
  for (const { seq, stream, chunk } of chunks) {
    const fault = truth.partFault(seq, stream, chunk, at)
    if (fault !== undefined) return fault
    if (seq <= last) return `seq ${seq} follows ${last}`
    last = seq
    at += chunk.length
  }
  return at === nextByte ? undefined : `its chunks end at ${at}, and it is told to end at ${nextByte}`
}

/** It begins and ends where it was asked to. */
const placeFault = (
  truth: Truth,
  { from, to, tail, maxBytes }: Asked,
  before: Before,
  { byte, nextByte, eof, ended, chunks }: HistoryResult,
): string | undefined => {
  const most = ended?.byte ?? truth.total
  const begin =
    tail === undefined ? (placeOf(truth, before, from) ?? { from: 0, to: 0 }) : tailOf(truth, before, tail)
  if (begin !== undefined && byte < Math.min(begin.from, before.total))
    return `it begins at ${byte}, in front of ${begin.from}`
  if (begin !== undefined && byte > Math.min(begin.to, most) && !mayBeginAt(truth, byte))
    return `it begins at ${byte}, behind ${begin.to}, and what is between is not gone`
  const end = placeOf(truth, before, to) ?? { from: Infinity, to: Infinity }
  const [least, greatest] = [Math.min(end.from, before.total), Math.min(end.to, most)]
  const size = nextByte - byte
  if (size > maxBytes) return `it has ${size} bytes of at most ${maxBytes}`
  if (size > 0 && nextByte > greatest) return `it ends at ${nextByte}, behind ${greatest}`
  if (nextByte < least && size < maxBytes && chunks.length < mostChunks)
    return `it ends at ${nextByte}, and had to go on to ${least}`
  if (eof && nextByte < least) return `nothing is told to follow ${nextByte}, and it goes on to ${least}`
  if (!eof && nextByte >= greatest) return `something is told to follow ${nextByte}, and nothing does`
  return undefined
}
