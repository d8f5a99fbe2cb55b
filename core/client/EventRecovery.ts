/**
 * Fetches events of one process again through `process/read`, and says which are lost when the server no longer
 * retains them. It asks for a part at a time: an answer with all that a large ring holds would be in front of
 * everything else, and would never arrive where each connection is lost before it does.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ReadResult } from "../protocol/Process.ts"
import type { Call } from "./Calls.ts"
import { ClientError, type Gone } from "./ClientError.ts"
import { defaultSize } from "./CreditWindow.ts"
import type { CatchUp, Missed } from "./EventFeed.ts"
import type { Sequenced } from "./ProcessEvent.ts"
import { type LostRange, ReorderBuffer } from "./ReorderBuffer.ts"

/** How much output is asked for at once, in bytes: as much as a server pushes ahead by default (`CreditWindow`). */
export const partBytes = defaultSize

export interface EventRecovery {
  /**
   * What the server retains after seq `after`: all of it, or, with `more`, a part that tells of the process as if it
   * had printed no more. Fails with `Disconnected` or `SessionLost`, or else with `EventsLost`.
   */
  readonly readAfter: (after: number) => Effect.Effect<ReadResult, ClientError>
  /** The next events after one seq, at most up to another one. */
  readonly catchUp: CatchUp
  /** Bytes of output that reads have brought so far. */
  readonly bytes: () => number
  /** The error for events that the server no longer retains. */
  readonly toError: (lost: LostRange) => ClientError
}

/**
 * `last` is the last seq published. If the server has forgotten the process, everything is lost after that, and for a
 * consumer that is behind, everything after its own. With `mayMiss`, as for an attachment, lost output is a gap.
 */
export const make = (id: string, call: Call, last: () => number, mayMiss = false): EventRecovery => {
  const lostError = (why: string, gone: Gone, cause?: ClientError) =>
    new ClientError({ reason: "EventsLost", message: `failed to recover process ${id}: ${why}`, gone, cause })

  const toError = (lost: LostRange) => lostError(lostText(lost), { from: lost.from, to: lost.to })

  let bytes = 0
  /** The first seq that is gone if the process is forgotten follows `known`, as it is then. */
  const ask = (after: number, known: () => number, bound: { readonly maxBytes?: number }) =>
    call("process/read", { processId: id, afterSeq: after, ...bound }).pipe(
      Effect.tap(({ chunks }) => {
        bytes += sizeOf(chunks)
      }),
      Effect.mapError((error) =>
        ofConnection.has(error.reason) ? error : lostError(error.message, { from: known() + 1 }, error),
      ),
    )

  const read = (after: number, known: () => number) =>
    Effect.flatMap(ask(after, known, { maxBytes: partBytes }), (state) => {
      if (isWhole(state)) return Effect.succeed(state)
      // The one that is missing may be the exit, whose seq no answer tells: that takes all that there is.
      if (state.exited && missing(state, after) === 1) return ask(after, known, {})
      const { chunks, nextSeq, marks } = state
      return Effect.succeed({ ...running, chunks, nextSeq, marks, more: true })
    })

  const catchUp: CatchUp = (after, through) =>
    Effect.flatMap(Effect.either(read(after, () => after)), (answer): Effect.Effect<Missed> => {
      if (Either.isLeft(answer)) return Effect.succeed({ events: [], failure: answer.left })
      const state = answer.right
      const events: Array<Sequenced> = []
      const buffer = new ReorderBuffer(after, (event) => event.seq <= through && events.push(event))
      const missed = buffer.splice(state)
      const lost = missed === undefined || missed.from > through ? undefined : missed
      if (lost !== undefined && !mayMiss) return Effect.succeed({ events, failure: toError(lost) })
      if (lost !== undefined) events.push({ kind: "gap", from: lost.from, seq: Math.min(lost.to, through) })
      if (events.length > 0) return Effect.succeed({ events, failure: undefined })
      // The server has sent what its answer lacks.
      return Effect.succeed({ events, failure: toError({ from: after + 1, to: through, through }) })
    })

  return { readAfter: (after) => read(after, last), catchUp, bytes: () => bytes, toError }
}

/** Of a process that goes on. */
const running = { exited: false, exitCode: null, closed: false, failure: null, sandboxDenied: false } as const

const sizeOf = (chunks: ReadResult["chunks"]) => chunks.reduce((sum, { chunk }) => sum + chunk.length, 0)

/**
 * True if an answer has all that there is. One to a read with a bound goes to its last chunk (`nextSeq`), so that
 * marks, the exit and the end may be missing behind it. A chunk is far smaller than half of the bound.
 */
const isWhole = ({ chunks, nextSeq, exited, marks, more }: ReadResult): boolean =>
  more !== true &&
  (nextSeq - 1 !== chunks.at(-1)?.seq || (!exited && marks === undefined && sizeOf(chunks) <= partBytes / 2))

const missing = ({ chunks, marks = [], nextSeq }: ReadResult, after: number): number =>
  nextSeq - 1 - after - chunks.length - marks.length

/** Why nothing can be read, whatever the server retains. */
const ofConnection: ReadonlySet<ClientError["reason"]> = new Set(["Disconnected", "SessionLost"])

const lostText = ({ from, to, through }: LostRange): string =>
  `process events are no longer retained while recovering through sequence ${through} (${from} to ${to} are gone)`
