/**
 * Fetches events of one process again through `process/read`, and says which are lost when the server no longer
 * retains them.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ReadResult } from "../protocol/Process.ts"
import type { Call } from "./Calls.ts"
import { ClientError, type Gone } from "./ClientError.ts"
import type { CatchUp } from "./EventFeed.ts"
import type { Sequenced } from "./ProcessEvent.ts"
import { type LostRange, ReorderBuffer } from "./ReorderBuffer.ts"

export interface EventRecovery {
  /**
   * Everything the server retains after seq `after`. Fails with `Disconnected` or `SessionLost`, or else with
   * `EventsLost`.
   */
  readonly readAfter: (after: number) => Effect.Effect<ReadResult, ClientError>
  /** The events after one seq up to another. */
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
  /** Reads; the first seq that is gone if the process is forgotten follows `known`, as it is then. */
  const read = (after: number, known: () => number) =>
    call("process/read", { processId: id, afterSeq: after }).pipe(
      Effect.tap(({ chunks }) => {
        for (const { chunk } of chunks) bytes += chunk.length
      }),
      Effect.mapError((error) =>
        ofConnection.has(error.reason) ? error : lostError(error.message, { from: known() + 1 }, error),
      ),
    )

  const catchUp: CatchUp = (after, through) =>
    Effect.flatMap(Effect.either(read(after, () => after)), (answer) => {
      if (Either.isLeft(answer)) return Effect.succeed({ events: [], failure: answer.left })
      const state = answer.right
      const events: Array<Sequenced> = []
      const buffer = new ReorderBuffer(after, (event) => event.seq <= through && events.push(event))
      const missed = buffer.splice(state)
      const lost = missed === undefined || missed.from > through ? undefined : missed
      if (lost !== undefined && !mayMiss) return Effect.succeed({ events, failure: toError(lost) })
      const last = lost === undefined ? buffer.last : Math.min(lost.to, through)
      if (lost !== undefined) events.push({ kind: "gap", from: lost.from, seq: last })
      if (last >= through) return Effect.succeed({ events, failure: undefined })
      // A history has more than one answer holds.
      if (lost !== undefined || (state.more === true && last > after))
        return Effect.map(catchUp(last, through), (rest) => ({
          events: [...events, ...rest.events],
          failure: rest.failure,
        }))
      // The server has sent what its answer lacks.
      const missing = { from: last + 1, to: through, through }
      return Effect.succeed({ events, failure: toError(missing) })
    })

  return { readAfter: (after) => read(after, last), catchUp, bytes: () => bytes, toError }
}

/** Why nothing can be read, whatever the server retains. */
const ofConnection: ReadonlySet<ClientError["reason"]> = new Set(["Disconnected", "SessionLost"])

const lostText = ({ from, to, through }: LostRange): string =>
  `process events are no longer retained while recovering through sequence ${through} (${from} to ${to} are gone)`
