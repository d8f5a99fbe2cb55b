/**
 * Fetches events of one process again through `process/read`, and says which are lost when the server no longer
 * retains them.
 */
import * as Effect from "effect/Effect"
import type { ReadResult } from "../protocol/Process.ts"
import type { Call } from "./Calls.ts"
import { ClientError, type Gone } from "./ClientError.ts"
import type { CatchUp } from "./EventFeed.ts"
import type { Sequenced } from "./ProcessEvent.ts"
import { type LostRange, ReorderBuffer } from "./ReorderBuffer.ts"

export interface EventRecovery {
  /** Everything the server retains after seq `after`. Fails with `Disconnected`, else with `EventsLost`. */
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
        error.reason === "Disconnected" ? error : lostError(error.message, { from: known() + 1 }, error),
      ),
    )

  const catchUp: CatchUp = (after, through) =>
    Effect.flatMap(
      read(after, () => after),
      (state) => {
        const found: Array<Sequenced> = []
        const buffer = new ReorderBuffer(after, (event) => event.seq <= through && found.push(event))
        const lost = buffer.splice(state)
        if (lost !== undefined) {
          if (!mayMiss) return Effect.fail(toError(lost))
          const gap: Sequenced = { kind: "gap", from: lost.from, seq: Math.min(lost.to, through) }
          if (gap.seq === through) return Effect.succeed([gap])
          return Effect.map(catchUp(gap.seq, through), (rest) => [gap, ...rest])
        }
        // A history has more than one answer holds.
        const isDone = state.more !== true || buffer.last >= through
        return isDone
          ? Effect.succeed(found)
          : Effect.map(catchUp(buffer.last, through), (rest) => [...found, ...rest])
      },
    )

  return { readAfter: (after) => read(after, last), catchUp, bytes: () => bytes, toError }
}

const lostText = ({ from, to, through }: LostRange): string =>
  `process events are no longer retained while recovering through sequence ${through} (${from} to ${to} are gone)`
