/** What every client makes of a place in the events of a process, and of bytes that are to be written to it. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { OutputStream } from "../protocol/Process.ts"
import { ClientError } from "./ClientError.ts"
import type { Subscription } from "./EventFeed.ts"
import type { Failed, ProcessEvent } from "./ProcessEvent.ts"

/** Most bytes of one write on the wire: 256 KiB. Larger ones go in pieces. */
export const maxWriteBytes = 256 * 1024

/** Every event from the first, for each run of the stream. */
export const fromSubscription = (subscribe: Effect.Effect<Subscription>): Stream.Stream<ProcessEvent> =>
  Effect.acquireRelease(subscribe, ({ close }) => Effect.sync(close)).pipe(
    Effect.map(({ next }) => Stream.repeatEffectChunkOption(Effect.flatMap(next, toPull))),
    Stream.unwrapScoped,
  )

/** The bytes of one stream, or of all; `failure` says more of an end in `failed` than its event does. */
export const output =
  (events: Stream.Stream<ProcessEvent>, failure: () => ClientError | undefined) =>
  (wanted?: OutputStream): Stream.Stream<Uint8Array, ClientError> =>
    Stream.filterMapEffect(events, (event) => {
      if (event.kind === "failed") return Option.some(Effect.fail(failure() ?? toError(event)))
      const mine = event.kind === "output" && (wanted === undefined || event.stream === wanted)
      return mine ? Option.some(Effect.succeed(event.bytes)) : Option.none()
    })

export const pieces = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  if (bytes.length <= maxWriteBytes) return [bytes]
  const count = Math.ceil(bytes.length / maxWriteBytes)
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * maxWriteBytes, (i + 1) * maxWriteBytes))
}

const toPull = (batch: ReadonlyArray<ProcessEvent> | undefined) =>
  batch === undefined ? Effect.fail(Option.none()) : Effect.succeed(Chunk.unsafeFromArray(batch))

/** The error that ended a process, as far as its last event tells. */
export const toError = ({ reason, message, gone }: Failed): ClientError =>
  new ClientError({ reason, message, ...(gone === undefined ? {} : { gone }) })
