/**
 * Two transports linked inside one program: the reference that adapters are compared with, and what tests
 * run on. Bounded as a real one is: a peer that does not take from `incoming` makes `write` answer false.
 * Closing either side ends both.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Framing from "./Framing.ts"
import * as Inbox from "./Inbox.ts"
import {
  highWaterMark,
  maxMessageBytes,
  type Outgoing,
  tooLong,
  type Transport,
  TransportError,
} from "./Transport.ts"

export interface Labels {
  readonly left?: string
  readonly right?: string
}

/** A linked pair; it lives as long as the scope. */
export const makePair = (
  labels: Labels = {},
): Effect.Effect<readonly [Transport, Transport], never, Scope.Scope> =>
  Effect.gen(function* () {
    const toRight = yield* makeLink
    const toLeft = yield* makeLink
    const close = Effect.sync(() => {
      toRight.end()
      toLeft.end()
    })
    yield* Effect.addFinalizer(() => close)
    const side = (label: string, from: Link, to: Link): Transport => ({
      label,
      incoming: from.incoming,
      write: to.write,
      onDrain: to.onDrain,
      close,
    })
    return [
      side(labels.left ?? "JSON-RPC message from memory left", toLeft, toRight),
      side(labels.right ?? "JSON-RPC message from memory right", toRight, toLeft),
    ] as const
  })

interface Link extends Pick<Transport, "incoming" | "write" | "onDrain"> {
  readonly end: () => void
}

const makeLink: Effect.Effect<Link, never, Scope.Scope> = Effect.gen(function* () {
  let stalled = false
  let ended = false
  let drained = () => {}
  const progress = (waiting: number) => {
    if (!stalled || waiting >= highWaterMark) return
    stalled = false
    drained()
  }
  const inbox = yield* Inbox.make(progress)
  const end = (error?: TransportError) => {
    ended = true
    inbox.end(error)
    progress(0)
  }
  const write = (message: Outgoing): boolean => {
    if (ended) return true
    const text = typeof message === "string" ? message : Framing.decodeText(message)
    if (text === undefined) {
      end(new TransportError({ reason: "InvalidUtf8", message: "message is not valid UTF-8" }))
    } else if (message.length > maxMessageBytes) {
      end(tooLong(maxMessageBytes))
    } else {
      inbox.offer(text)
      stalled = inbox.waiting() >= highWaterMark
    }
    return !stalled
  }
  return {
    incoming: inbox.incoming,
    write,
    onDrain: (listener) => {
      drained = listener
    },
    end: () => end(),
  }
})
