/** The histories of one server: `process/history` and `process/grep`, and a history in a process. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Extension } from "../../process/Extension.ts"
import type { Extend, FeatureServices } from "../../process/Lifecycle.ts"
import * as Listed from "../../process/Listed.ts"
import type { Entry } from "../../process/ProcessTable.ts"
import type { SizeAt } from "../../process/Sizes.ts"
import * as History from "./wire.ts"
import type { history as wire } from "./wire.ts"
import { ParamsError } from "../../protocol/ParamsError.ts"
import type { Connection, Handlers, Shared } from "../Feature.ts"
import * as Patterns from "../Patterns.ts"
import * as Batch from "./Batch.ts"
import { Budget } from "./Budget.ts"
import { Histories, keptIn } from "./Histories.ts"
import type { Ended, HistoryFilesService } from "./HistoryFiles.ts"
import type { Point } from "./Reading.ts"

const asking = (
  { at }: Connection,
  shared: Shared,
  histories: Histories,
): Handlers<(typeof wire)["requests"]> => ({
  "process/history": (params) =>
    Effect.gen(function* () {
      const { processId, tail, maxBytes } = params
      if (tail != null && params.from != null) return yield* refuse("tail and from exclude each other")
      const { processes, id } = at(processId)
      const request = {
        from: yield* toPoint("from", params.from),
        to: yield* toPoint("to", params.to),
        tail: tail ?? undefined,
        maxBytes: Math.min(Math.max(1, maxBytes ?? History.defaultMaxBytes), History.mostBytes),
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
        if (lines > History.mostContext)
          return yield* refuse(`${name} must be at most ${History.mostContext} lines: ${lines}`)
      }
      const { processes, id } = at(processId)
      // The edges of lines are edges always.
      const given = flags ?? ""
      const compiled = Patterns.of(shared).compile(pattern, given.includes("m") ? given : `${given}m`)
      if (Result.isFailure(compiled)) return yield* refuse(compiled.failure.message)
      const request = {
        pattern: compiled.success,
        from: yield* toPoint("from", params.from),
        to: yield* toPoint("to", params.to),
        before,
        after,
        maxMatches: Math.min(Math.max(1, params.maxMatches ?? History.defaultMatches), History.mostMatches),
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
  readonly handlers: (connection: Connection) => Handlers<(typeof wire)["requests"]>
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
const toEnd = (ended: Ended | undefined): Pick<History.HistoryResult, "ended"> =>
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
  point: History.Point | null | undefined,
): Effect.Effect<Point | undefined, ParamsError> => {
  if (point == null) return Effect.succeed(undefined)
  const found = kinds.flatMap((kind) => (point[kind] == null ? [] : [{ kind, at: point[kind] }]))
  const [only] = found
  return only === undefined || found.length > 1
    ? refuse(`${name} has exactly one of ${kinds.join(", ")}, and this one has ${found.length}`)
    : only.kind === "line" && only.at === 0
      ? refuse(`${name}.line must be at least 1: lines are counted from 1`)
      : Effect.succeed(only)
}

const refuse = (message: string) => Effect.fail(new ParamsError({ message }))
