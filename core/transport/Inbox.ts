/**
 * The receiving half of every transport: a queue that is bounded in length and size, behind which messages wait that
 * did not fit.
 *
 * `offer` is a plain function, for the callback of a socket. It returns false while messages wait for room; the source
 * stops reading then, so what waits stays about as large as one read. Each time that some of them have found room, the
 * source is notified.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { type CutText, toText } from "../protocol/CutText.ts"
import * as Fork from "../protocol/Fork.ts"
import {
  type CutIncoming,
  type Incoming,
  type TakeAll,
  incomingCapacity,
  incomingSize,
  type TransportError,
} from "./Transport.ts"

/** The receiving side that a transport feeds. */
export interface Inbox {
  /** The `incoming` of the transport. */
  readonly incoming: Incoming
  /** The `cut` of the transport, if it delivers such messages. */
  readonly cut: CutIncoming
  /** Delivers one message; false if it has to wait for room. Ignored after `end`. */
  readonly offer: (message: string | CutText) => boolean
  /** The peer is gone, or has failed. Messages that were delivered before are still read first. */
  readonly end: (error?: TransportError) => void
  /** No message waits to be taken. */
  readonly empty: () => boolean
  /** Size of the messages that wait for room, in UTF-16 units. */
  readonly waiting: () => number
}

const inMicrotask = (task: () => void) => void Promise.resolve().then(task)

/**
 * `onProgress` is called each time waiting messages have found room, with the size of those that still wait. `soon`
 * runs a task when the caller of `offer` has ended, before the next event.
 */
export const make = (
  onProgress: (waiting: number) => unknown,
  soon: (task: () => void) => void = inMicrotask,
): Effect.Effect<Inbox, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* Fork.inScope
    /** From `head` on: those up to `admitted` have found room. */
    let messages: Array<string | CutText> = []
    let head = 0
    let admitted = 0
    /** Sizes of the messages that have found room, and of those that wait for it, in UTF-16 units. */
    let size = 0
    let waiting = 0
    let ended: Exit.Exit<void, TransportError> | undefined
    const takers = new Set<() => void>()

    const wake = () => {
      for (const taker of takers) taker()
      takers.clear()
    }
    const drop = () => {
      messages = []
      head = admitted = size = waiting = 0
    }
    const hasRoom = () => admitted - head < incomingCapacity && size < incomingSize
    const isGone = () => ended !== undefined && head === messages.length

    // Not at once: what it tells the source has to come behind the message that made the room.
    const tell = () =>
      void fork(
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => onProgress(waiting)),
        ),
      )

    const admit = () => {
      const before = waiting
      while (admitted < messages.length && hasRoom()) {
        const { length } = messages[admitted++]!
        size += length
        waiting -= length
      }
      if (waiting < before) tell()
    }

    const takeOne = () => {
      const message = messages[head]!
      messages[head++] = ""
      size -= message.length
      if (head === messages.length) drop()
      else if (waiting > 0) admit()
      if (isGone()) wake()
      return message
    }
    const takeAdmitted = () => {
      const taken = head === 0 && admitted === messages.length ? messages : messages.slice(head, admitted)
      messages = messages.slice(admitted)
      head = admitted = size = 0
      admit()
      if (isGone()) wake()
      return taken
    }

    const woken = Effect.callback<void>((resume) => {
      // Not at once: `offer` must not run its caller's peer. But before the next event, which may be the end.
      const taker = () => soon(() => resume(Effect.void))
      takers.add(taker)
      return Effect.sync(() => takers.delete(taker))
    })
    /** Answers as `take` does, as soon as a message waits or the peer is gone: an interrupted one has taken nothing. */
    const when = <A, E>(take: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() =>
        head < messages.length || ended !== undefined ? take() : Effect.flatMap(woken, () => when(take)),
      )
    const end = () => ended ?? Exit.void

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        drop()
        ended ??= Exit.void
        wake()
      }),
    )

    const takeAll: TakeAll<string | CutText> = when<
      readonly [ReadonlyArray<string | CutText>, boolean],
      TransportError
    >(() =>
      isGone()
        ? Effect.as(end(), [[], true] as const)
        : Effect.sync(() => [takeAdmitted(), isGone() && Exit.isSuccess(end())] as const),
    )
    const gone: Effect.Effect<void, TransportError> = Effect.suspend(() =>
      isGone() ? end() : Effect.flatMap(woken, () => gone),
    )
    const incoming: Incoming = {
      take: when(() =>
        isGone() ? Effect.andThen(end(), Cause.done()) : Effect.sync(() => toText(takeOne())),
      ),
      takeAll: Effect.map(takeAll, ([taken, done]) => [taken.map(toText), done] as const),
      await: gone,
      size: () => (isGone() ? undefined : messages.length - head),
    }

    return {
      incoming,
      cut: { takeAll },
      empty: () => head === messages.length,
      waiting: () => waiting,
      offer: (message) => {
        if (ended !== undefined) return true
        messages.push(message)
        const fits = admitted === messages.length - 1 && hasRoom()
        if (fits) {
          admitted += 1
          size += message.length
        } else waiting += message.length
        wake()
        return fits
      },
      end: (error) => {
        if (ended !== undefined) return
        ended = error === undefined ? Exit.void : Exit.fail(error)
        wake()
      },
    }
  })
