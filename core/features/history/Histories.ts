/** The histories of the processes of one server, and what is asked of them. */
import * as Effect from "effect/Effect"
import type { Chunk } from "../../process/Chunk.ts"
import type { Gap, Kept } from "../../process/Extension.ts"
import type { FeatureServices } from "../../process/Lifecycle.ts"
import type { Process } from "../../process/Process.ts"
import { ProcessError } from "../../process/ProcessError.ts"
import type { SizeAt } from "../../process/Sizes.ts"
import { InternalError, RequestError } from "../../protocol/ParamsError.ts"
import * as Grep from "./Grep.ts"
import { type Begun, History, type Services } from "./History.ts"
import type { Ended, HistoryError, Lost } from "./HistoryFiles.ts"
import * as Reading from "./Reading.ts"

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

export interface GrepRequest extends Pick<Grep.Search, "pattern" | "before" | "after" | "maxMatches"> {
  /** Where to begin, with the line there; by default at the begin. */
  readonly from?: Reading.Point | undefined
  /** Where to end, in front of the line there; by default at the end. */
  readonly to?: Reading.Point | undefined
}

export interface GrepState extends Grep.Page, Pick<HistoryState, "closed" | "ended" | "lost"> {}

/** The failures of a question. */
type Refused = InternalError | ProcessError | RequestError

/** The session of a process, as far as its history needs it. */
export type Session = Pick<FeatureServices, "fork" | "scope">

export class Histories {
  private readonly services: Services
  private readonly known = new WeakMap<Process, History>()

  constructor(services: Services) {
    this.services = services
  }

  /** A history of at most so many bytes, for a process that is about to start: it ends when that is forgotten. */
  begin(process: Process, maxBytes: number, { fork, scope }: Session): History {
    const history = new History(this.services, maxBytes, begunOf(process))
    this.known.set(process, history)
    process.whenForgotten(() => history.leave())
    fork(history.life(process, scope))
    return history
  }

  part(process: Process, request: HistoryRequest): Effect.Effect<HistoryState, Refused> {
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

  grep(process: Process, request: GrepRequest): Effect.Effect<GrepState, Refused> {
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
  private asking<A>(
    process: Process,
    ask: (history: History, closed: boolean) => Generator<Effect.Effect<unknown, HistoryError>, A, never>,
  ): Effect.Effect<A, Refused> {
    return Effect.gen({ self: this }, function* () {
      const history = this.known.get(process)
      if (history === undefined)
        return yield* new RequestError({
          message: `process ${process.id} has no history: ask for one with \`history\` of process/start`,
        })
      const closed = process.closed !== undefined
      yield* history.written(process.log.nextSeq() - 1)
      const answer = yield* Effect.mapError(
        Effect.gen(() => ask(history, closed)),
        unreadable,
      )
      // Files that are removed meanwhile are read as if they were empty.
      if (history.isLeft) return yield* new ProcessError({ reason: "Unknown", processId: process.id })
      return answer
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

/** The part of another server in its output. */
const begunOf = ({ adopted }: Process): Begun | undefined => {
  if (adopted === undefined) return undefined
  const { stdout, stderr, pty } = adopted.lost
  return { folder: adopted.place, byte: stdout + stderr + pty }
}

/** The output of a history, for those who have lost it from the log. */
export const keptIn = (history: History): Kept => ({
  place: () => history.folder?.name,
  oldest: () => history.oldest(),
  recall: (gap, maxBytes, within) => Effect.mapError(recall(history, gap, maxBytes, within), unreadable),
})

const recall = (history: History, gap: Gap, maxBytes: number, within: Within | undefined) =>
  Effect.gen(function* () {
    yield* history.written(gap.to)
    const from = within === undefined ? gap.from : yield* lastOf(history, gap.from, within)
    const { chunks, nextByte } = yield* Reading.after(history, from - 1, maxBytes)
    const first = chunks[0]?.seq
    // Files that are removed meanwhile are read as if they were empty.
    if (first === undefined || history.isLeft) return { from: Infinity, chunks: [], hasMore: false }
    const isKept = (history.kept[0]?.first.seq ?? 0) <= from || Reading.beginOf(history) === 0
    return { from: isKept ? from : first, chunks, hasMore: nextByte < history.end.byte }
  })

type Within = NonNullable<Parameters<Kept["recall"]>[2]>

/** The seq with which to begin, so that at most so many bytes are in front of what follows a seq. */
const lastOf = (history: History, from: number, { seq, bytes }: Within) =>
  Effect.gen(function* () {
    if (history.end.byte <= bytes) return from
    const end = yield* Reading.placeOf(history, { kind: "seq", at: seq + 1 })
    if (end <= bytes) return from
    const place = yield* Reading.at(history, end - bytes)
    // Output that was dropped meanwhile is not read, wherever the reading begins.
    return Math.max(from, place?.seq ?? from)
  })

const unreadable = ({ message }: HistoryError) =>
  new InternalError({ message: `the history cannot be read: ${message}` })
