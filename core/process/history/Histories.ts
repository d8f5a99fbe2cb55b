/** The histories of the processes of one session, and what is asked of them. */
import * as Effect from "effect/Effect"
import type { Chunk } from "../Chunk.ts"
import * as LongPoll from "../LongPoll.ts"
import type { Process } from "../Process.ts"
import { ProcessError } from "../ProcessError.ts"
import type { SizeAt } from "../Sizes.ts"
import { gapAfter } from "../Printed.ts"
import * as Grep from "./Grep.ts"
import { History, type Services } from "./History.ts"
import type { Ended, HistoryError, Lost } from "./HistoryFiles.ts"
import * as Reading from "./Reading.ts"

/** What is asked of a history. */
export interface HistoryRequest {
  /** Where to begin; by default at the begin. */
  readonly from?: Reading.Point | undefined
  /** Where to end, in front of that; by default at the end. */
  readonly to?: Reading.Point | undefined
  /** Instead of `from`: the last lines, so many. */
  readonly tail?: number | undefined
  /** Most bytes. */
  readonly maxBytes: number
}

/** What a history answers. */
export interface HistoryState extends Reading.Part {
  /** True if nothing of what was asked for follows, for now. */
  readonly eof: boolean
  /** True if the process prints nothing more. */
  readonly closed: boolean
  /** Where and why it has ended before the process, if it has. */
  readonly ended: Ended | undefined
  /** What a full disk has taken, if anything. */
  readonly lost: Lost | undefined
  /** The sizes that the PTY had for the chunks. */
  readonly sizes: ReadonlyArray<SizeAt>
}

/** What is looked for in a history. */
export interface GrepRequest extends Pick<Grep.Search, "pattern" | "before" | "after" | "maxMatches"> {
  /** Where to begin, with the line there; by default at the begin. */
  readonly from?: Reading.Point | undefined
  /** Where to end, in front of the line there; by default at the end. */
  readonly to?: Reading.Point | undefined
}

/** What a search in a history answers. */
export interface GrepState extends Grep.Page, Pick<HistoryState, "closed" | "ended" | "lost"> {}

/** Most bytes that a read without a bound gets at once, of what only the history has: 16 MiB. */
export const mostReadBytes = 16 * 1024 * 1024

/** The histories of one session. */
export class Histories {
  private readonly services: Services
  private readonly known = new WeakMap<Process, History>()

  constructor(services: Services) {
    this.services = services
  }

  /** A history of at most so many bytes, for a process that is about to start. */
  begin(process: Process, maxBytes: number): History {
    const history = new History(this.services, maxBytes)
    this.known.set(process, history)
    process.oldestKept = () => history.oldest()
    return history
  }

  /** That of a process, if it has one. */
  of(process: Process): History | undefined {
    return this.known.get(process)
  }

  /** Reads as `LongPoll.read`, and what the log no longer has from the history. */
  read(process: Process, request: LongPoll.ReadRequest): Effect.Effect<LongPoll.ReadState, HistoryError> {
    const history = this.known.get(process)
    if (history === undefined) return LongPoll.read(process, request)
    return gapAfter(process, request.afterSeq) === undefined
      ? LongPoll.read(process, request)
      : readGap(history, process, request)
  }

  /** A part of the output. */
  part(process: Process, request: HistoryRequest): Effect.Effect<HistoryState, HistoryError | ProcessError> {
    return this.asking(process, function* (history, closed) {
      const from = yield* request.tail === undefined
        ? placeOf(history, request.from, Reading.beginOf(history))
        : Reading.tailOf(history, request.tail)
      const to = yield* placeOf(history, request.to, Infinity)
      const part = yield* Reading.read(history, from, to, request.maxBytes)
      const eof = part.nextByte >= Math.min(to, history.end.byte)
      const sizes = sizesOf(process, part.chunks)
      return { ...part, eof, closed, ended: history.ended, lost: history.lost, sizes }
    })
  }

  /** Lines with a match. */
  grep(process: Process, request: GrepRequest): Effect.Effect<GrepState, HistoryError | ProcessError> {
    const { indexOf } = this.services.files
    return this.asking(process, function* (history, closed) {
      const lineStart = (point: Reading.Point | undefined, otherwise: number) =>
        Effect.flatMap(placeOf(history, point, otherwise), (byte) => Reading.lineStart(history, byte))
      const from = yield* lineStart(request.from, Reading.beginOf(history))
      const to = request.to === undefined ? Infinity : yield* placeOf(history, request.to, Infinity)
      const isOver = closed || history.ended !== undefined
      const page = yield* Grep.search(history, { ...request, from, to, isOver }, indexOf)
      return { ...page, closed, ended: history.ended, lost: history.lost }
    })
  }

  /**
   * Asks the history of a process, when it has everything that was printed up to now. `closed` is of now, too: a
   * process that closes meanwhile may have printed more.
   */
  private asking<A, E>(
    process: Process,
    ask: (history: History, closed: boolean) => Generator<Effect.Effect<unknown, E>, A, never>,
  ): Effect.Effect<A, E | ProcessError> {
    const failed = (reason: ProcessError["reason"]) =>
      Effect.fail(new ProcessError({ reason, processId: process.id }))
    return Effect.gen({ self: this }, function* () {
      const history = this.known.get(process)
      if (history === undefined) return yield* failed("NoHistory")
      const closed = process.closed !== undefined
      yield* history.written(process.log.nextSeq() - 1)
      const answer = yield* Effect.gen(() => ask(history, closed))
      // Files that are removed meanwhile are read as if they were empty.
      return history.isLeft ? yield* failed("Unknown") : answer
    })
  }
}

/** Those of a PTY for its chunks. */
const sizesOf = ({ stdio }: Process, chunks: ReadonlyArray<Chunk>): ReadonlyArray<SizeAt> => {
  const [first, last] = [chunks[0]?.seq, chunks.at(-1)?.seq]
  if (stdio.kind !== "pty" || first === undefined || last === undefined) return []
  return stdio.sizes?.within(first, last) ?? [{ after: 0, size: stdio.size }]
}

const placeOf = (history: History, point: Reading.Point | undefined, otherwise: number) =>
  point === undefined ? Effect.succeed(otherwise) : Reading.placeOf(history, point)

/** The log has lost chunks behind `afterSeq`: those that the history has, and then those of the log. */
const readGap = (history: History, process: Process, request: LongPoll.ReadRequest) =>
  Effect.gen(function* () {
    const most = Math.min(request.maxBytes, mostReadBytes)
    const chunks: Array<Chunk> = []
    let [seq, bytes, isCut] = [request.afterSeq, 0, false]
    for (let gap = gapAfter(process, seq); gap !== undefined && !isCut; gap = gapAfter(process, seq)) {
      yield* history.written(gap.to)
      const part = yield* Reading.after(history, seq, most - bytes)
      const size = part.chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0)
      // What the history does not have either is gone; it may begin behind the log.
      const first = part.chunks[0]?.seq ?? Infinity
      if (first > (gapAfter(process, seq)?.to ?? seq) + 1) break
      isCut = bytes + size > most && bytes > 0
      if (isCut) break
      chunks.push(...part.chunks)
      bytes += size
      seq = part.chunks.at(-1)?.seq ?? seq
      isCut = bytes >= most || part.nextByte < history.end.byte
    }
    return LongPoll.stateAfter(
      process,
      { ...request, afterSeq: seq },
      { chunks, afterSeq: request.afterSeq, bytes, isCut },
    )
  })
