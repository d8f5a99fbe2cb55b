/** The events of a process as streams, from a subscription to them. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { OutputStream } from "../protocol/Process.ts"
import { ClientError } from "./ClientError.ts"
import type { Pull } from "./EventFeed.ts"
import type { Failed, ProcessEvent } from "./ProcessEvent.ts"

export interface Step<A> {
  readonly done?: boolean | undefined
  readonly value?: A | undefined
}

/** The values of an iterator until it is done. `Stream.fromAsyncIterable` brings more, likewise. */
export const stepped = <A, E>(
  next: () => Promise<Step<A>>,
  failure: (cause: unknown) => E,
): Stream.Stream<A, E> =>
  Stream.unfold(undefined, () =>
    Effect.map(Effect.tryPromise({ try: next, catch: failure }), ({ done, value }) =>
      done === true ? undefined : ([value as A, undefined] as const),
    ),
  )

/** The items of batches, until there is none. */
export const fromBatches = <A, E>(
  next: Effect.Effect<ReadonlyArray<A> | undefined, E>,
): Stream.Stream<A, E> =>
  Stream.paginate(undefined, () =>
    Effect.map(next, (batch) =>
      batch === undefined ? [[], Option.none()] : ([batch, Option.some(undefined)] as const),
    ),
  )

/** The items of a subscription, which begins anew for each run of the stream. */
export const fromSubscription = <A>(subscribe: Effect.Effect<Pull<ReadonlyArray<A>>>): Stream.Stream<A> =>
  Effect.acquireRelease(subscribe, ({ close }) => Effect.sync(close)).pipe(
    Effect.map(({ next }) => fromBatches(next)),
    Stream.unwrap,
  )

/** The bytes of one stream, or of all. Fails where the events end in `failed`, with `failure` if that is known. */
export const output =
  (events: Stream.Stream<ProcessEvent>, failure: () => ClientError | undefined) =>
  (wanted?: OutputStream): Stream.Stream<Uint8Array, ClientError> =>
    Stream.filterMapEffect(events, (event) => {
      if (event.kind === "failed") return Effect.fail(failure() ?? toError(event))
      const mine = event.kind === "output" && (wanted === undefined || event.stream === wanted)
      return Effect.succeed(mine ? Result.succeed(event.bytes) : Result.failVoid)
    })

/** The error that a `failed` event was made from, without its `code` and `cause`. */
export const toError = ({ reason, message, gone }: Failed): ClientError =>
  new ClientError({ reason, message, ...(gone === undefined ? {} : { gone }) })
