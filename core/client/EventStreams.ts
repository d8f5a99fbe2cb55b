/** The events of a process as streams, from a subscription to them. */
import * as Channel from "effect/Channel"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { OutputStream } from "../protocol/Process.ts"
import { ClientError } from "./ClientError.ts"
import type { Pull } from "./EventFeed.ts"
import type { Failed, ProcessEvent } from "./ProcessEvent.ts"

/**
 * A stream that an effect makes, whose scope ends with it. `Stream.unwrapScoped` is the same, and brings what runs
 * streams side by side, which is a tenth of a client for the web.
 */
export const unwrapScoped = <A, E, E2>(
  made: Effect.Effect<Stream.Stream<A, E>, E2, Scope.Scope>,
): Stream.Stream<A, E | E2> => Stream.fromChannel(Channel.unwrapScoped(Effect.map(made, Stream.toChannel)))

/** One step of an iterator. */
export interface Step<A> {
  readonly done?: boolean | undefined
  readonly value?: A | undefined
}

/** The values of an iterator until it is done. `Stream.fromAsyncIterable` brings more, likewise. */
export const stepped = <A, E>(
  next: () => Promise<Step<A>>,
  failure: (cause: unknown) => E,
): Stream.Stream<A, E> =>
  Stream.repeatEffectOption(
    Effect.flatMap(
      Effect.tryPromise({ try: next, catch: (cause) => Option.some(failure(cause)) }),
      ({ done, value }) => (done === true ? Effect.fail(Option.none()) : Effect.succeed(value as A)),
    ),
  )

/** The items of batches, until there is none. */
export const fromBatches = <A, E>(
  next: Effect.Effect<ReadonlyArray<A> | undefined, E>,
): Stream.Stream<A, E> =>
  Stream.repeatEffectChunkOption(
    Effect.matchEffect(next, {
      onFailure: (error) => Effect.fail(Option.some(error)),
      onSuccess: (batch) =>
        batch === undefined ? Effect.fail(Option.none()) : Effect.succeed(Chunk.unsafeFromArray(batch)),
    }),
  )

/** The items of a subscription, which begins anew for each run of the stream. */
export const fromSubscription = <A>(subscribe: Effect.Effect<Pull<ReadonlyArray<A>>>): Stream.Stream<A> =>
  Effect.acquireRelease(subscribe, ({ close }) => Effect.sync(close)).pipe(
    Effect.map(({ next }) => fromBatches(next)),
    unwrapScoped,
  )

/** The bytes of one stream, or of all. Fails where the events end in `failed`, with `failure` if that is known. */
export const output =
  (events: Stream.Stream<ProcessEvent>, failure: () => ClientError | undefined) =>
  (wanted?: OutputStream): Stream.Stream<Uint8Array, ClientError> =>
    Stream.filterMapEffect(events, (event) => {
      if (event.kind === "failed") return Option.some(Effect.fail(failure() ?? toError(event)))
      const mine = event.kind === "output" && (wanted === undefined || event.stream === wanted)
      return mine ? Option.some(Effect.succeed(event.bytes)) : Option.none()
    })

/** The error that a `failed` event was made from, without its `code` and `cause`. */
export const toError = ({ reason, message, gone }: Failed): ClientError =>
  new ClientError({ reason, message, ...(gone === undefined ? {} : { gone }) })
