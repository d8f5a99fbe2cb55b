/**
 * The receiving half of every transport: a mailbox that is bounded in length and size, and an overflow for messages
 * that did not fit.
 *
 * `offer` is a plain function, for the callback of a socket. While there is an overflow, a fiber of the scope moves it
 * into the mailbox and reports that to the source, which stops reading while `offer` returns false; so the overflow
 * stays about as large as one read.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import { type CutText, toText } from "../protocol/CutText.ts"
import {
  type CutIncoming,
  type Incoming,
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

/** `onProgress` is called each time a waiting message has found room, with the size of those that still wait. */
export const make = (onProgress: (waiting: number) => unknown): Effect.Effect<Inbox, never, Scope.Scope> =>
  Effect.gen(function* () {
    const mailbox = yield* Mailbox.make<string | CutText, TransportError>(incomingCapacity)
    const runtime = yield* Effect.runtime<never>()
    const scope = yield* Effect.scope
    const room = yield* Effect.makeLatch(true)
    /** Size of the messages in the mailbox, in UTF-16 units. */
    let size = 0
    const rest: Array<string | CutText> = []
    let head = 0
    let waiting = 0
    let ended: Exit.Exit<void, TransportError> | undefined

    const resize = (to: number) => {
      size = to
      if (size < incomingSize) room.unsafeOpen()
      else room.unsafeClose()
    }

    const moveOne = Effect.zipRight(
      room.await,
      Effect.suspend(() => mailbox.offer(rest[head]!)),
    ).pipe(
      Effect.map(() => {
        resize(size + rest[head]!.length)
        waiting -= rest[head]!.length
        rest[head++] = ""
        if (head === rest.length) {
          rest.length = head = 0
          if (ended !== undefined) mailbox.unsafeDone(ended)
        }
        onProgress(waiting)
      }),
    )
    let moving = false
    const more = () => (moving = rest.length > 0)
    const moveAll = Effect.whileLoop({ while: more, body: () => moveOne, step: () => {} })
    yield* Scope.addFinalizer(scope, mailbox.shutdown)

    const takeAll = Effect.tap(mailbox.takeAll, () => resize(0))
    const incoming: Incoming = {
      take: Effect.map(mailbox.take, (message) => {
        resize(Math.max(0, size - message.length))
        return toText(message)
      }),
      takeAll: Effect.map(takeAll, ([messages, done]) => [Chunk.map(messages, toText), done]),
      await: mailbox.await,
      size: mailbox.size,
      unsafeSize: () => mailbox.unsafeSize(),
    }

    return {
      incoming,
      cut: { takeAll },
      empty: () => rest.length === 0 && Option.contains(mailbox.unsafeSize(), 0),
      waiting: () => waiting,
      offer: (message) => {
        if (ended !== undefined) return true
        if (rest.length === 0 && size < incomingSize && mailbox.unsafeOffer(message)) {
          resize(size + message.length)
          return true
        }
        waiting += message.length
        rest.push(message)
        if (!moving) {
          moving = true
          // Not at once: what it tells the source has to come behind the answer.
          Runtime.runFork(runtime)(moveAll, { scope, immediate: false })
        }
        return false
      },
      end: (error) => {
        if (ended !== undefined) return
        ended = error === undefined ? Exit.void : Exit.fail(error)
        if (rest.length === 0) mailbox.unsafeDone(ended)
      },
    }
  })
