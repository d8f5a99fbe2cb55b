/**
 * The receiving half that every transport shares: a bounded mailbox, what did not fit in it, and word to
 * the source when that has been taken.
 *
 * `offer` is a plain function for a socket's callback; a fiber of the scope moves the rest. The source
 * stops reading while `offer` answers false, so the rest stays about as large as one read.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import { incomingCapacity, type TransportError } from "./Transport.ts"

export interface Inbox {
  readonly incoming: Mailbox.ReadonlyMailbox<string, TransportError>
  /** Delivers one message; false when it has to wait for room. Ignored after `end`. */
  readonly offer: (message: string) => boolean
  /** The peer is gone, or broken. What was delivered before is still read first. */
  readonly end: (error?: TransportError) => void
  /** Size of the messages that wait for room, in UTF-16 units. */
  readonly waiting: () => number
}

/** `onProgress` is called each time one waiting message found room, with the size of what still waits. */
export const make = (onProgress: (waiting: number) => void): Effect.Effect<Inbox, never, Scope.Scope> =>
  Effect.gen(function* () {
    const incoming = yield* Mailbox.make<string, TransportError>(incomingCapacity)
    const overflow = yield* Effect.makeLatch()
    const rest: Array<string> = []
    let head = 0
    let waiting = 0
    let ended: Exit.Exit<void, TransportError> | undefined

    const moveOne = Effect.suspend(() => incoming.offer(rest[head]!)).pipe(
      Effect.map(() => {
        waiting -= rest[head]!.length
        rest[head++] = ""
        if (head === rest.length) {
          rest.length = head = 0
          overflow.unsafeClose()
          if (ended !== undefined) incoming.unsafeDone(ended)
        }
        onProgress(waiting)
      }),
    )
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(overflow.await, moveOne)))
    yield* Effect.addFinalizer(() => incoming.shutdown)

    return {
      incoming,
      waiting: () => waiting,
      offer: (message) => {
        if (ended !== undefined) return true
        if (rest.length === 0 && incoming.unsafeOffer(message)) return true
        waiting += message.length
        rest.push(message)
        overflow.unsafeOpen()
        return false
      },
      end: (error) => {
        if (ended !== undefined) return
        ended = error === undefined ? Exit.void : Exit.fail(error)
        if (rest.length === 0) incoming.unsafeDone(ended)
      },
    }
  })
