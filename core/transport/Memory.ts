/**
 * Two transports linked inside one program: the reference implementation for adapters, and the transport of tests and
 * of a server in the client's program. It is bounded as a real one is: if the peer does not take from `incoming`,
 * `write` returns false. Closing either end closes both.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { cutter } from "../protocol/CutText.ts"
import { giveBack, MemoryPool } from "../protocol/MemoryPool.ts"
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

/** The labels of both ends, by which errors name their messages. */
export interface Labels {
  /** Label of the first transport. */
  readonly left?: string
  /** Label of the second transport. */
  readonly right?: string
}

/** A linked pair, which is closed with the scope. */
export const makePair = (
  labels: Labels = {},
): Effect.Effect<readonly [Transport, Transport], never, Scope.Scope> =>
  Effect.gen(function* () {
    const toRight = yield* makeDirection
    const toLeft = yield* makeDirection
    const close = Effect.sync(() => {
      toRight.end()
      toLeft.end()
    })
    yield* Effect.addFinalizer(() => close)
    const transport = (label: string, from: Direction, to: Direction): Transport => ({
      label,
      incoming: from.incoming,
      cut: from.cut,
      write: to.write,
      onDrain: to.onDrain,
      close,
    })
    return [
      transport(labels.left ?? "JSON-RPC message from memory left", toLeft, toRight),
      transport(labels.right ?? "JSON-RPC message from memory right", toRight, toLeft),
    ] as const
  })

/** One direction of the pair: the sender writes, the receiver takes from `incoming`. */
interface Direction extends Required<Pick<Transport, "incoming" | "cut" | "write" | "onDrain">> {
  readonly end: () => void
}

/** A client gives nothing back that it has taken. */
const cut = cutter(new MemoryPool(0, 0))

const makeDirection: Effect.Effect<Direction, never, Scope.Scope> = Effect.gen(function* () {
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
    const text = typeof message === "string" ? message : (cut(message) ?? Framing.decodeText(message))
    if (text === undefined) {
      end(new TransportError({ reason: "InvalidUtf8", message: "message is not valid UTF-8" }))
    } else if (message.length > maxMessageBytes) {
      end(tooLong(maxMessageBytes))
    } else {
      inbox.offer(text)
      if (typeof message !== "string") giveBack(message)
      stalled = inbox.waiting() >= highWaterMark
    }
    return !stalled
  }
  return {
    incoming: inbox.incoming,
    cut: inbox.cut,
    write,
    onDrain: (listener) => {
      drained = listener
    },
    end: () => end(),
  }
})
