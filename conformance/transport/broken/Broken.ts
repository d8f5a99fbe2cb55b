/**
 * A transport with one fault, made from a good one, and the case that must fail on it.
 */
import * as Effect from "effect/Effect"
import * as Inbox from "../../../core/transport/Inbox.ts"
import * as Memory from "../../../core/transport/Memory.ts"
import type { Outgoing, Transport } from "../../../core/transport/Transport.ts"
import type { Pair, Raw } from "../TransportContext.ts"

export interface Broken {
  /** The fault. */
  readonly does: string
  /** The case that has to fail, and what its reason says. */
  readonly caughtBy: string
  readonly reason: RegExp
  readonly pair: Pair
  readonly raw?: Raw
}

export const good: Pair = Memory.makePair()

/** Changes both ends in the same way. */
export const both = (change: (end: Transport) => Transport): Pair =>
  Effect.map(good, ([left, right]) => [change(left), change(right)] as const)

/** Replaces `write`; each end gets its own. */
export const writing = (
  make: (write: Transport["write"], end: Transport) => (message: Outgoing) => boolean,
): Pair => both((end) => ({ ...end, write: make(end.write, end) }))

/** A raw end over lines, with a decoder that may have a fault. */
export const rawLines = (push: () => (bytes: Uint8Array) => ReadonlyArray<string>): Raw =>
  Effect.gen(function* () {
    const inbox = yield* Inbox.make(() => {})
    const cut = push()
    return {
      transport: {
        label: "JSON-RPC message from a raw end",
        incoming: inbox.incoming,
        write: () => true,
        onDrain: () => {},
        close: Effect.sync(() => inbox.end()),
      },
      frame: (message) => Buffer.concat([message, Buffer.from("\n")]),
      send: (bytes) =>
        Effect.sync(() => {
          for (const line of cut(bytes)) inbox.offer(line)
        }),
      end: Effect.sync(() => inbox.end()),
    }
  })
