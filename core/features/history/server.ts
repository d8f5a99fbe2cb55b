/** The histories of one server: `process/history` and `process/grep`, and a history in a process. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Extension, Gap, Kept } from "../../process/Extension.ts"
import type { Extend, FeatureServices } from "../../process/Lifecycle.ts"
import * as Listed from "../../process/Listed.ts"
import type { Entry } from "../../process/ProcessTable.ts"
import type { SizeAt } from "../../process/Sizes.ts"
import * as Wire from "./wire.ts"
import { type ParamsError, InternalError, RequestError, refuseParams } from "../../protocol/ParamsError.ts"
import type { Connection, Handlers, Shared } from "../Feature.ts"
import * as Patterns from "../Patterns.ts"
import * as Batch from "./Batch.ts"
import { Budget } from "./Budget.ts"
import type { Ended, HistoryFilesService, HistoryError } from "./HistoryFiles.ts"
import type { Point } from "./Reading.ts"
import type { Chunk } from "../../process/Chunk.ts"
import type { Process } from "../../process/Process.ts"
import { ProcessError } from "../../process/ProcessError.ts"
import * as Grep from "./Grep.ts"
import { type Begun, History, type Services } from "./History.ts"
import * as Reading from "./Reading.ts"

const asking = (
  { at }: Connection,
  shared: Shared,
  histories: Histories,
): Handlers<(typeof Wire.history)["requests"]> => ({
  "process/history": (params) =>
    Effect.gen(function* () {
      const { processId, tail, maxBytes } = params
      if (tail != null && params.from != null) return yield* refuseParams("tail and from exclude each other")
      const { processes, id } = at(processId)
      const request = {
        from: yield* toPoint("from", params.from),
        to: yield* toPoint("to", params.to),
        tail: tail ?? undefined,
        maxBytes: Math.min(Math.max(1, maxBytes ?? Wire.defaultMaxBytes), Wire.mostBytes),
      }
      const { chunks, times, sizes, ended, lost, ...rest } = yield* processes.use(id, (process) =>
        histories.part(process, request),
      )
      return {
        ...rest,
        chunks: chunks.map(({ seq, stream, bytes }) => ({ seq, stream, chunk: bytes })),
        ...(params.times === true ? { times } : {}),
        ...(params.times === true && sizes.length > 0 ? { sizes: sizes.map(toSize) } : {}),
        ...toEnd(ended),
        ...(lost === undefined ? {} : { lost }),
      }
    }),

  "process/grep": (params) =>
    Effect.gen(function* () {
      const { processId, pattern, flags } = params
      const [before, after] = [params.before ?? 0, params.after ?? 0]
      for (const [name, lines] of Object.entries({ before, after })) {
        if (lines > Wire.mostContext)
          return yield* refuseParams(`${name} must be at most ${Wire.mostContext} lines: ${lines}`)
      }
      const { processes, id } = at(processId)
      // The edges of lines are edges always.
      const given = flags ?? ""
      const compiled = Patterns.of(shared).compile(pattern, given.includes("m") ? given : `${given}m`)
      if (Result.isFailure(compiled)) return yield* refuseParams(compiled.failure.message)
      const request = {
        pattern: compiled.success,
        from: yield* toPoint("from", params.from),
        to: yield* toPoint("to", params.to),
        before,
        after,
        maxMatches: Math.min(Math.max(1, params.maxMatches ?? Wire.defaultMatches), Wire.mostMatches),
      }
      const { matches, ended, lost, ...rest } = yield* processes.use(id, (process) =>
        histories.grep(process, request),
      )
      const around = before + after > 0
      return {
        ...rest,
        matches: around ? matches : matches.map(({ line, byte, seq, text }) => ({ line, byte, seq, text })),
        ...toEnd(ended),
        ...(lost === undefined ? {} : { lost }),
      }
    }),
})

const toSize = ({ after, size }: SizeAt) => ({ afterSeq: after, ...size })

/** The histories of one server, for its requests and its starts. */
export interface Served {
  readonly handlers: (connection: Connection) => Handlers<(typeof Wire.history)["requests"]>
  /** The part of a history of at most so many bytes in a process. */
  readonly extend: (maxBytes: number) => Extend
}

export const make = (files: HistoryFilesService, clock: Clock.Clock, shared: Shared): Served => {
  const budget = new Budget(shared.limits.historyTotal)
  const histories = new Histories({ files, budget, memory: Batch.toPool(), clock })
  return {
    handlers: (connection) => asking(connection, shared, histories),
    extend: (maxBytes) => (entry, session) => extension(entry, session, histories, maxBytes),
  }
}

/** A history is there before the child, and notes the row of the process when that has started and when it is closed. */
const extension = (
  { process, facts, removed }: Entry,
  session: FeatureServices,
  histories: Histories,
  maxBytes: number,
): Extension | undefined => {
  if (session.forgetsAtExit) return undefined
  const history = histories.begin(process, maxBytes, session)
  const note = Effect.suspend(() =>
    history.note(Listed.toRow(process, facts, Listed.stateOf(process, true), removed !== undefined)),
  )
  return {
    kept: keptIn(history),
    spawner: (spawner) => ({
      spawn: (...of) => Effect.andThen(history.isOpen, spawner.spawn(...of)),
    }),
    run: Effect.andThen(note, Effect.andThen(process.whenClosed, note)),
  }
}

/** The end of a history that has ended before its process. */
const toEnd = (ended: Ended | undefined): Pick<Wire.HistoryResult, "ended"> =>
  ended === undefined
    ? {}
    : {
        ended: {
          reason: ended.reason === "Full" ? "full" : "failed",
          byte: ended.byte,
          message: ended.message,
        },
      }

const kinds = ["seq", "byte", "line", "time"] as const

/** The point of a param; undefined if it is absent. */
const toPoint = (
  name: string,
  point: Wire.Point | null | undefined,
): Effect.Effect<Point | undefined, ParamsError> => {
  if (point == null) return Effect.succeed(undefined)
  const found = kinds.flatMap((kind) => (point[kind] == null ? [] : [{ kind, at: point[kind] }]))
  const [only] = found
  return only === undefined || found.length > 1
    ? refuseParams(`${name} has exactly one of ${kinds.join(", ")}, and this one has ${found.length}`)
    : only.kind === "line" && only.at === 0
      ? refuseParams(`${name}.line must be at least 1: lines are counted from 1`)
      : Effect.succeed(only)
}

export interface HistoryRequest {
  /** The begin; by default that of the output. */
  readonly from?: Reading.Point | undefined
  /** The end, exclusive; by default that of the output. */
  readonly to?: Reading.Point | undefined
  /** Instead of `from`: the last lines, so many. */
  readonly tail?: number | undefined
  /** Most bytes. */
  readonly maxBytes: number
}

export interface GrepRequest extends Pick<Grep.Search, "pattern" | "before" | "after" | "maxMatches"> {
  /** The begin, with its whole line; by default that of the output. */
  readonly from?: Reading.Point | undefined
  /** The end, in front of its line; by default that of the output. */
  readonly to?: Reading.Point | undefined
}

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

  /**
   * A part of what the process has printed, and the sizes of its PTY. `eof`: nothing of what was asked for follows, for
   * now.
   */
  part(process: Process, request: HistoryRequest) {
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

  grep(process: Process, request: GrepRequest) {
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
