/** `process/history` and `process/grep`: check what is asked of a history, and ask it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { PatternCache } from "../../pattern/PatternCache.ts"
import type { Ended } from "../../process/history/HistoryFiles.ts"
import type { Point } from "../../process/history/Reading.ts"
import type { SizeAt } from "../../process/Sizes.ts"
import * as History from "./wire.ts"
import type { history as wire } from "./wire.ts"
import { ParamsError } from "../../protocol/ParamsError.ts"
import type { Connection, Handlers, OnServer } from "../Feature.ts"

const make = ({ at }: Connection, patterns: PatternCache): Handlers<(typeof wire)["requests"]> => ({
  "process/history": (params) =>
    Effect.gen(function* () {
      const { processId, tail, maxBytes } = params
      if (tail != null && params.from != null) return yield* refuse("tail and from exclude each other")
      const { processes, id } = at(processId)
      const { chunks, times, sizes, ended, lost, ...rest } = yield* processes.history(id, {
        from: yield* toPoint("from", params.from),
        to: yield* toPoint("to", params.to),
        tail: tail ?? undefined,
        maxBytes: Math.min(Math.max(1, maxBytes ?? History.defaultMaxBytes), History.mostBytes),
      })
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
      const compiled = patterns.compile(pattern, given.includes("m") ? given : `${given}m`)
      if (Result.isFailure(compiled)) return yield* refuse(compiled.failure.message)
      const { matches, ended, lost, ...rest } = yield* processes.grep(id, {
        pattern: compiled.success,
        from: yield* toPoint("from", params.from),
        to: yield* toPoint("to", params.to),
        before,
        after,
        maxMatches: Math.min(Math.max(1, params.maxMatches ?? History.defaultMatches), History.mostMatches),
      })
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

export const history: OnServer<typeof wire> = ({ patterns }) =>
  Effect.succeed({
    announces: ({ keepsHistories }) => ({ outputHistory: keepsHistories }),
    fault: ({ history }, { keepsHistories }) =>
      history == null
        ? undefined
        : !keepsHistories
          ? "`history` is not supported by this server: it has no capability outputHistory"
          : history.maxBytes < History.leastBytes
            ? `history.maxBytes must be at least ${History.leastBytes}: ${history.maxBytes}`
            : undefined,
    options: ({ history }, { keepsHistories, usualHistory }) => ({
      historyBytes:
        history?.maxBytes ??
        (keepsHistories && usualHistory > 0 ? Math.max(usualHistory, History.leastBytes) : 0),
    }),
    handlers: (connection) => make(connection, patterns),
  })

/** Where a history has ended before its process. */
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
