/** When the conditions of a wait come true, by what a child has really done so far: the truth that answers are held to. */
import type { WaitCondition } from "../../core/client/RemoteProcess.ts"
import { utf8 } from "../../core/protocol/Bytes.ts"
import type { OutputStream } from "../../core/spawn/Spawner.ts"
import type { Piece, Truth } from "./Truth.ts"

/** Times between which something happens; Infinity if that is not known to happen. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A match: where it begins and ends, in bytes of the output of the stream that counts, and when it was written. */
export interface Found {
  readonly stream: OutputStream
  readonly begin: number
  readonly end: number
  readonly at: number
  readonly bytes: Uint8Array
}

const never: Span = { from: Infinity, to: Infinity }

const at = (time: number): Span => ({ from: time, to: time })

/** Milliseconds without output behind an exit, and the most that output which keeps coming delays it. */
const [quiet, mostQuiet] = [20, 500]

/** When the exit is published: at once if every stream is at EOF, else after a while without output. */
export const exitOf = ({ exitedAt, endedAt = Infinity }: Truth): Span => {
  if (exitedAt === undefined) return never
  if (endedAt <= exitedAt) return at(exitedAt)
  return { from: Math.min(endedAt, exitedAt + quiet), to: Math.min(endedAt, exitedAt + mostQuiet) }
}

/** When everything is over. */
export const closedOf = ({ exitedAt, endedAt }: Truth): number =>
  exitedAt === undefined || endedAt === undefined ? Infinity : Math.max(exitedAt, endedAt)

/** The index of the first piece above a seq; undefined if the seq of the exit is not known, and counts. */
export const firstAfter = ({ exitedAfter, exitedSeq, pieces }: Truth, seq: number): number | undefined => {
  if (exitedSeq !== undefined) return seq < exitedSeq ? seq : seq - 1
  if (exitedAfter === undefined || seq <= exitedAfter) return seq
  return pieces.length > exitedAfter ? undefined : exitedAfter
}

/** When nothing was written for so long, from a time on. What comes in the millisecond of the end may count or not. */
export const idleOf = ({ pieces }: Truth, since: number, millis: number): Span => {
  const after = (counts: (piece: Piece, due: number) => boolean) => {
    let due = since + millis
    for (const piece of pieces) if (piece.at >= since && counts(piece, due)) due = piece.at + millis
    return due
  }
  return {
    from: after((piece, due) => piece.at < due),
    to: after((piece, due) => piece.at <= due),
  }
}

/** When so many bytes were written, from that piece on. */
export const bytesOf = ({ pieces }: Truth, first: number, bytes: number): Span => {
  let sum = 0
  for (const { length, at: time } of pieces.slice(first)) if ((sum += length) >= bytes) return at(time)
  return never
}

/** The first match of a pattern in one stream, from that piece on; undefined if there is none yet. */
export const matchOf = (
  truth: Truth,
  stream: OutputStream,
  first: number,
  { pattern, flags }: WaitCondition,
): Found | undefined => {
  const pieces = truth.pieces.slice(first).filter((piece) => piece.stream === stream)
  const text = pieces.map(({ offset, length }) => latin1(truth.noise.bytes(offset, length))).join("")
  if (pattern === "$")
    return closedOf(truth) === Infinity ? undefined : ending(stream, text.length, closedOf(truth))
  const source = latin1(utf8.encode(pattern ?? ""))
  const literal = flags === "l"
  const expression = new RegExp(literal ? source.replace(/[^\w\s]/g, "\\$&") : source)
  const found = expression.exec(text)
  if (found === null) return undefined
  const end = found.index + found[0].length
  let from = 0
  const last = pieces.find(({ length }) => (from += length) >= end)
  const bytes = Uint8Array.from(found[0], (character) => character.charCodeAt(0))
  return { stream, begin: found.index, end, at: last?.at ?? 0, bytes }
}

const ending = (stream: OutputStream, place: number, at: number): Found => ({
  stream,
  begin: place,
  end: place,
  at,
  bytes: new Uint8Array(),
})

/** The streams in which a pattern is looked for. */
export const streamsOf = (pty: boolean, { stream }: WaitCondition): ReadonlyArray<OutputStream> => {
  const all: ReadonlyArray<OutputStream> = pty ? ["pty"] : ["stdout", "stderr"]
  return stream == null ? all : all.filter((each) => each === stream)
}

/** When a condition has come true, for a wait that began at a time, with the output from that piece on. */
export const spanOf = (
  truth: Truth,
  pty: boolean,
  begun: number,
  first: number,
  condition: WaitCondition,
): Span => {
  const { idleMs, bytes, exit, closed } = condition
  if (exit === true) return exitOf(truth)
  if (closed === true) return at(closedOf(truth))
  if (idleMs != null) return idleOf(truth, begun, idleMs)
  if (bytes != null) return bytesOf(truth, first, bytes)
  const times = streamsOf(pty, condition).map((stream) => matchOf(truth, stream, first, condition)?.at)
  return at(Math.min(...times.map((time) => time ?? Infinity)))
}

/** Bytes as characters of the same numbers. */
const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
