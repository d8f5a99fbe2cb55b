/**
 * Delivers the events of one process to any number of consumers.
 *
 * Every consumer gets every event from the first, however late it subscribes: the first events are kept, up to 256 of
 * them or 1 MiB of output; the events between those and the subscription are read from the server again (`catchUp`), as
 * long as the server retains them; later events go to the consumer's queue. Without consumers nothing else is held.
 * `FlowControl` bounds the queues: it stops the connection before they grow large; or `CreditWindow` does, and only
 * the process is stopped.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { type ClientError, clientError } from "./ClientError.ts"
import type { Backlog, CreditWindow, FlowControl } from "./FlowControl.ts"
import { creditOf, failed, type ProcessEvent, type Sequenced, weightOf, type Failed } from "./ProcessEvent.ts"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { OutputStream } from "../protocol/Process.ts"

/** The bound on kept events for later consumers: the first 256 events, or the first 1 MiB of output. */
export const maxKept = { events: 256, bytes: 1024 * 1024 }

/** One consumer of what comes piece by piece. */
export interface Pull<A> {
  /** Waits for the next piece; undefined after the last. */
  readonly next: Effect.Effect<A | undefined>
  /** Ends the subscription; may be called at any time. */
  readonly close: () => void
}

/** One consumer of the events of a process, from the first event: each time the next ones, at least one. */
export type Subscription = Pull<ReadonlyArray<ProcessEvent>>

/** The next part of what a consumer has missed, as far as it could be read. */
export interface Missed {
  /** In order, without a gap; at least one if there is no failure. */
  readonly events: ReadonlyArray<Sequenced>
  /** Why the rest cannot be read. */
  readonly failure: ClientError | undefined
}

/** Reads the next events after seq `after` from the server, none after `through`. */
export type CatchUp = (after: number, through: number) => Effect.Effect<Missed>

/** The events of one process, for any number of consumers. */
export type EventFeed = ReturnType<typeof make>

interface Consumer {
  readonly queue: Queue.Queue<ProcessEvent, Cause.Done>
  readonly backlog: Backlog
}

/** The feed of a process from the event after seq `after`; `credit` hears when less waits for a consumer. */
export const make = (
  after: number,
  flow: FlowControl,
  catchUp: CatchUp,
  credit?: Pick<CreditWindow, "size" | "settle">,
) => {
  const consumers = new Set<Consumer>()
  const sizeOf = credit === undefined ? weightOf : creditOf
  const kept = makeKept(after)
  let last = after
  let ended: ProcessEvent | undefined

  /** Delivers the next event, in order. Events after `closed` or `failed` are ignored. */
  const publish = (event: ProcessEvent) => {
    if (ended !== undefined) return
    if (event.kind !== "failed") {
      last = event.seq
      kept.keep(event)
    }
    if (event.kind === "closed" || event.kind === "failed") ended = event
    for (const { queue, backlog } of consumers) {
      backlog.add(sizeOf(event))
      Queue.offerUnsafe(queue, event)
      if (ended !== undefined) Queue.endUnsafe(queue)
    }
  }

  const subscribe = Effect.map(Queue.make<ProcessEvent, Cause.Done>(), (queue): Subscription => {
    const consumer: Consumer = { queue, backlog: flow.backlog(credit?.size) }
    let before: Past | undefined = pastOf(kept, last, ended, catchUp)
    let over = false
    if (ended === undefined) consumers.add(consumer)
    else Queue.endUnsafe(queue)

    const close = () => {
      over = true
      consumers.delete(consumer)
      consumer.backlog.end()
      Queue.endUnsafe(queue)
      credit?.settle()
    }

    const next = Effect.gen(function* () {
      if (over) return undefined
      if (before !== undefined) {
        const events = yield* before
        // Live events would follow a gap, so a consumer that cannot catch up gets none.
        if (events?.at(-1)?.kind === "failed") close()
        if (events !== undefined) return events
        before = undefined
      }
      const batch = yield* Effect.orElseSucceed(Queue.takeAll(queue), () => undefined)
      if (batch !== undefined && !over) {
        consumer.backlog.add(-batch.reduce((sum, event) => sum + sizeOf(event), 0))
        credit?.settle()
      }
      return batch
    })
    return { next, close }
  })

  return {
    publish,
    subscribe,
    /** The bytes that wait for the slowest consumer; under credit, as that counts them. */
    waiting: () => mostWaiting(consumers),
    /** The bytes that are kept for later consumers. */
    kept: kept.bytes,
  }
}

/** Each time the next part of the events that a consumer gets before live ones; undefined behind them. */
type Past = Effect.Effect<ReadonlyArray<ProcessEvent> | undefined>

/** Of a consumer that subscribes behind seq `last`: what is kept, and then what `catchUp` reads. */
const pastOf = (kept: Kept, last: number, ended: ProcessEvent | undefined, catchUp: CatchUp): Past => {
  const failure = ended?.kind === "failed" ? [ended] : []
  let first: ReadonlyArray<ProcessEvent> = [...kept.events, ...failure]
  let at = failure.length > 0 ? last : kept.through()
  return Effect.suspend(() => {
    const events = first
    first = []
    if (events.length > 0) return Effect.succeed(events)
    if (at >= last) return Effect.succeed(undefined)
    return Effect.map(catchUp(at, last), ({ events, failure }) => {
      at = events.at(-1)?.seq ?? at
      return failure === undefined ? events : [...events, failed(failure)]
    })
  })
}

const mostWaiting = (consumers: ReadonlySet<Consumer>): number => {
  let most = 0
  for (const { backlog } of consumers) most = Math.max(most, backlog.waiting())
  return most
}

type Kept = ReturnType<typeof makeKept>

/** The first events, which every consumer gets. */
const makeKept = (after: number) => {
  const events: Array<Sequenced> = []
  let bytes = 0
  let through = after
  return {
    events,
    /** The seq of the last one. */
    through: () => through,
    bytes: () => bytes,
    keep: (event: Sequenced) => {
      const full = events.length >= maxKept.events || bytes >= maxKept.bytes
      if (full || event.seq !== through + 1) return
      events.push(event)
      bytes += weightOf(event)
      through = event.seq
    },
  }
}

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
export const outputOf =
  (events: Stream.Stream<ProcessEvent>, failure: () => ClientError | undefined) =>
  (wanted?: OutputStream): Stream.Stream<Uint8Array, ClientError> =>
    Stream.filterMapEffect(events, (event) => {
      if (event.kind === "failed") return Effect.fail(failure() ?? toError(event))
      const mine = event.kind === "output" && (wanted === undefined || event.stream === wanted)
      return Effect.succeed(mine ? Result.succeed(event.bytes) : Result.failVoid)
    })

/** The error that a `failed` event was made from, without its `code` and `cause`. */
export const toError = ({ reason, message, gone }: Failed): ClientError =>
  clientError(reason, message, gone === undefined ? {} : { gone })
