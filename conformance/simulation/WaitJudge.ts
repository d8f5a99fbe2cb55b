/**
 * Holds every answer to a `process/wait` to the truth, to the millisecond: a wait is answered when the first of its
 * conditions has come true, neither before nor later, with evidence and output that the child has really written.
 *
 * It sees when a request has arrived at the server, and when its answer leaves: what the network does lies outside.
 */
import * as Result from "effect/Result"
import type { Encoded } from "../../core/client/Calls.ts"
import type { WaitCondition } from "../../core/client/RemoteProcess.ts"
import { utf8, utf8Decoder } from "../../core/protocol/Bytes.ts"
import { WaitResult } from "../../core/features/wait/wire.ts"
import * as Shape from "../../core/protocol/shape/index.ts"
import type { OutputStream } from "../../core/spawn/Spawner.ts"
import type { Children } from "./Children.ts"
import { latin1 } from "./Noise.ts"
import type { ServerPlan } from "./Plan.ts"
import type { Piece, Truth } from "./Truth.ts"
import type { WaitPlan } from "./WaitMaker.ts"
import type { World } from "./World.ts"

export interface Begun {
  readonly asked: Encoded<"process/wait">
  readonly at: number
  /** Nothing has kept it from beginning at once. */
  readonly exact: boolean
}

/** One that is answered, and what there is to judge it by. */
interface Case extends Begun {
  readonly truth: Truth
  readonly pty: boolean
  readonly told: WaitResult
  /** When it is answered. */
  readonly now: number
  /** The first piece that counts. */
  readonly first: number
}

const decode = (json: unknown): WaitResult =>
  Result.getOrThrowWith(Shape.decode(WaitResult, json, { plain: true }), (fault) => new Error(fault))

const early = "a wait is never early"
const missed = "a wait is never missed"
const told = "a wait is told the truth"

/** Judges the answers to the waits of a run. */
export type WaitJudge = ReturnType<typeof make>

export const make = (
  world: World,
  children: Children,
  waits: ReadonlyArray<WaitPlan>,
  settings: ServerPlan,
) => {
  const plans = new Map(waits.map((plan) => [plan.key, plan]))

  const exited = (key: string, seq: number): void => {
    if (plans.has(key)) children.truth(key).exitedSeq ??= seq
  }

  /** A wait has arrived; `held`: the server begins nothing on its connection now. */
  const begun = (asked: Encoded<"process/wait">, held: boolean): Begun => ({
    asked,
    at: world.now,
    exact: !held && settings.concurrentRequests >= 1024,
  })

  const answered = (wait: Begun, result: unknown): void => {
    const plan = plans.get(wait.asked.processId)
    if (plan === undefined) return
    const truth = children.truth(plan.key)
    const first = firstOf(truth, wait)
    if (first === undefined) return
    const { now } = world
    const one: Case = { ...wait, truth, pty: plan.script.pty, told: decode(result), now, first }
    judgeState(one)
    judgeOutput(one)
    if (one.told.gap === undefined) judgeTime(one)
    judgeEvidence(one)
  }

  /** When it had to be answered: when the first condition came true, at its timeout, or at the end of the process. */
  const judgeTime = ({ asked, at, exact, truth, pty, first, told: { met }, now }: Case): void => {
    const spans = asked.until.map((condition) => spanOf(truth, pty, at, first, condition))
    const closed = closedOf(truth)
    const end = Math.min(closed, at + (asked.timeoutMs ?? Infinity))
    const from = Math.max(at, Math.min(end, ...spans.map((span) => span.from)))
    const to = Math.max(at, Math.min(end, ...spans.map((span) => span.to)))
    if (now < from) wrong(early, asked, `it is answered at ${now}, and nothing has come true before ${from}`)
    if (exact && now > to) wrong(missed, asked, `it is answered at ${now}, and had to be at ${to}`)
    if (met === null) {
      if (now < end) wrong(early, asked, `it tells of nothing at ${now}, before ${end}`)
      if (exact && spans.some((span) => span.to < now))
        wrong(missed, asked, "it tells of nothing, and one has come true")
      return
    }
    const mine = spans[met]
    if (mine === undefined || now < mine.from)
      return wrong(early, asked, `${met} is told at ${now}, and comes true at ${mine?.from}`)
    const other = spans.findIndex((span, index) => index < met && span.to < now)
    if (exact && other >= 0)
      wrong(told, asked, `${met} is told, and ${other} of its list has come true before`)
  }

  const judgeState = ({ asked, truth, told: { nextSeq, exited, exitCode, closed }, now }: Case): void => {
    const exit = exitOf(truth)
    if (exited && now < exit.from) wrong(told, asked, "it tells an exit, and the child runs")
    if (!exited && now > exit.to) wrong(told, asked, "it tells no exit, and the child has exited")
    if (exited !== (exitCode !== null) || (exited && exitCode !== truth.exitCode))
      wrong(told, asked, `it tells the exit code ${exitCode}, and it is ${truth.exitCode}`)
    if (closed && now < closedOf(truth)) wrong(told, asked, "it tells closed, and it is not")
    const pieces = nextSeq - 1 - Number(exited) - Number(closed)
    const before = truth.pieces.filter((piece) => piece.at < now).length
    if (pieces < before || pieces > truth.pieces.length)
      wrong(told, asked, `${pieces} chunks are told, and there are ${before} to ${truth.pieces.length}`)
  }

  /** The output is what the child wrote; what is left out is counted. */
  const judgeOutput = ({ asked, truth, told: answer, first, now }: Case): void => {
    const { head, tail, omittedBytes, gap, nextSeq, exited, closed } = answer
    let last = 0
    for (const { seq, stream, chunk } of [...head, ...tail]) {
      const index = firstAfter(truth, seq - 1)
      if (index === undefined) return
      const piece = truth.pieces[index]
      if (piece === undefined || piece.stream !== stream || chunk.length > piece.length || seq < last)
        return wrong(told, asked, `seq ${seq} is not what the child wrote there`)
      const { offset, length } = piece
      const starts = truth.noise.equals(offset, chunk)
      if (!starts && !truth.noise.equals(offset + length - chunk.length, chunk))
        return wrong(told, asked, `seq ${seq} has other bytes than the child wrote`)
      last = seq
    }
    const { retainedBytes: bytes, retainedChunks: chunks } = settings
    for (let seq = gap?.from ?? 1; seq <= (gap?.to ?? 0); seq++)
      if (!truth.mayBeGone(seq, { bytes, chunks })) wrong(told, asked, `seq ${seq} is told to be gone`)
    if (gap !== undefined || now < 0) return
    const pieces = nextSeq - 1 - Number(exited) - Number(closed)
    const sum = truth.pieces.slice(first, pieces).reduce((all, { length }) => all + length, 0)
    const given = [...head, ...tail].reduce((all, { chunk }) => all + chunk.length, 0)
    if (given + omittedBytes !== sum)
      wrong(told, asked, `${given} bytes and ${omittedBytes} left out are not the ${sum} that were written`)
    if (given > (asked.maxBytes ?? Infinity)) wrong(told, asked, `${given} bytes of ${asked.maxBytes}`)
  }

  const judgeEvidence = (one: Case): void => {
    const { asked, at, truth, first, exact, told: answer, now } = one
    const { met, evidence, gap } = answer
    const condition = met === null ? undefined : asked.until[met]
    if (condition === undefined) {
      if (met !== null || evidence !== null) wrong(told, asked, `evidence of ${met}`)
      return
    }
    const { exitCode, idleMs, bytes, match } = evidence ?? {}
    if (condition.exit === true || condition.closed === true) {
      if (exitCode !== truth.exitCode) wrong(told, asked, `the evidence has the exit code ${exitCode}`)
    } else if (condition.idleMs != null) {
      const silent = [truth.pieces.filter((piece) => piece.at < now), truth.pieces].map(
        (pieces) => now - Math.max(at, pieces.at(-1)?.at ?? 0),
      )
      const fits = exact ? silent.includes(idleMs ?? -1) : (idleMs ?? -1) <= (silent[0] ?? 0)
      if (!fits || (idleMs ?? -1) < condition.idleMs)
        wrong(told, asked, `the evidence has ${idleMs} ms without output, and it was ${silent.join(" or ")}`)
    } else if (condition.bytes != null) {
      const counted = truth.pieces.slice(first).reduce((all, { length }) => all + length, 0)
      if (bytes === undefined || bytes < condition.bytes || bytes > counted)
        wrong(told, asked, `the evidence has ${bytes} bytes of ${counted}`)
    } else if (gap === undefined) judgeMatch(one, match, condition)
  }

  const judgeMatch = (
    { asked, truth, pty, first }: Case,
    match: NonNullable<WaitResult["evidence"]>["match"],
    condition: (typeof asked)["until"][number],
  ): void => {
    const stream = streamsOf(pty, condition).find((each) => each === match?.stream)
    const found = stream && matchOf(truth, stream, first, condition)
    if (match === undefined || found === undefined)
      return wrong(told, asked, "the evidence has no such match")
    const placed = ({ seq, offset }: { readonly seq: number; readonly offset: number }) => {
      const index = firstAfter(truth, seq - 1)
      if (index === undefined) return undefined
      const before = truth.pieces.slice(first, index).filter((piece) => piece.stream === stream)
      return before.reduce((all, { length }) => all + length, 0) + offset
    }
    const [begin, end] = [placed(match.from), placed(match.to)]
    const differs = (begin ?? found.begin) !== found.begin || (end ?? found.end) !== found.end
    if (differs)
      wrong(told, asked, `the match is at ${begin} to ${end}, and is at ${found.begin} to ${found.end}`)
    if (match.text !== utf8Decoder().decode(found.bytes))
      wrong(told, asked, `the match has the text ${JSON.stringify(match.text)}`)
  }

  const wrong = (
    invariant: string,
    { processId, afterSeq, until }: Encoded<"process/wait">,
    what: string,
  ): void => {
    world.violate(invariant, `${processId}: ${what}, of ${JSON.stringify({ afterSeq, until })}`)
  }
  return { exited, begun, answered }
}

/** The first piece that counts; undefined if that depends on what came first in one millisecond. */
const firstOf = (truth: Truth, { asked: { afterSeq }, at, exact }: Begun): number | undefined => {
  const known = truth.pieces.filter((piece) => piece.at < at).length
  const maybe = truth.pieces.filter((piece) => piece.at <= at).length
  if (afterSeq == null || afterSeq <= known) return firstAfter(truth, afterSeq ?? 0)
  return exact && known === maybe ? known : undefined
}

/** Times between which something happens; Infinity if that is not known to happen. */
interface Span {
  readonly from: number
  readonly to: number
}

/** A match: where it begins and ends, in bytes of the output of the stream that counts, and when it was written. */
interface Found {
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
const exitOf = ({ exitedAt, endedAt = Infinity }: Truth): Span => {
  if (exitedAt === undefined) return never
  if (endedAt <= exitedAt) return at(exitedAt)
  return { from: Math.min(endedAt, exitedAt + quiet), to: Math.min(endedAt, exitedAt + mostQuiet) }
}

/** When everything is over. */
const closedOf = ({ exitedAt, endedAt }: Truth): number =>
  exitedAt === undefined || endedAt === undefined ? Infinity : Math.max(exitedAt, endedAt)

/** The index of the first piece above a seq; undefined if the seq of the exit is not known, and counts. */
const firstAfter = ({ exitedAfter, exitedSeq, pieces }: Truth, seq: number): number | undefined => {
  if (exitedSeq !== undefined) return seq < exitedSeq ? seq : seq - 1
  if (exitedAfter === undefined || seq <= exitedAfter) return seq
  return pieces.length > exitedAfter ? undefined : exitedAfter
}

/** When nothing was written for so long, from a time on. Output in the millisecond of the end may count or not. */
const idleOf = ({ pieces }: Truth, since: number, millis: number): Span => {
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
const bytesOf = ({ pieces }: Truth, first: number, bytes: number): Span => {
  let sum = 0
  for (const { length, at: time } of pieces.slice(first)) if ((sum += length) >= bytes) return at(time)
  return never
}

/** The first match of a pattern in one stream, from that piece on; undefined if there is none yet. */
const matchOf = (
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
const streamsOf = (pty: boolean, { stream }: WaitCondition): ReadonlyArray<OutputStream> => {
  const all: ReadonlyArray<OutputStream> = pty ? ["pty"] : ["stdout", "stderr"]
  return stream == null ? all : all.filter((each) => each === stream)
}

/** When a condition has come true, for a wait that began at a time, with the output from that piece on. */
const spanOf = (truth: Truth, pty: boolean, begun: number, first: number, condition: WaitCondition): Span => {
  const { idleMs, bytes, exit, closed } = condition
  if (exit === true) return exitOf(truth)
  if (closed === true) return at(closedOf(truth))
  if (idleMs != null) return idleOf(truth, begun, idleMs)
  if (bytes != null) return bytesOf(truth, first, bytes)
  const times = streamsOf(pty, condition).map((stream) => matchOf(truth, stream, first, condition)?.at)
  return at(Math.min(...times.map((time) => time ?? Infinity)))
}
