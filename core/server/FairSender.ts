/**
 * Shares one connection between everything that a server sends unasked: output of processes and bodies of responses.
 *
 * Each source writes one message per turn, round-robin, while the peer keeps up; when its buffer is full the sender
 * stops until `drain`. So few messages wait in the transport however many sources there are, and no source starves
 * another.
 */
import * as Effect from "effect/Effect"
import type { Outgoing } from "../transport/Transport.ts"

/** Writes at most one message through the sender, and a gap before it; returns true if it may have another. */
export type Source = () => boolean

/** The sender of one connection. */
export interface FairSender {
  /** Gives the source turns until it returns false. A source that waits already is not added again. */
  readonly enqueue: (source: Source) => void
  /** Gives the source no more turns. */
  readonly remove: (source: Source) => void
  /** Writes a message, nothing once stopped; false if the peer does not keep up. For a source in its turn. */
  readonly write: (message: Outgoing) => boolean
  /** Sends one message when its turn has come, and makes it only then: an interrupted caller has made none. */
  readonly send: (make: () => Outgoing) => Effect.Effect<void>
  /** Continues. To be called when the peer keeps up again. */
  readonly drain: () => void
  /** Gives no turn any more. */
  readonly stop: () => void
}

/** `write` queues one message and returns whether the peer keeps up. */
export const make = (write: (message: Outgoing) => boolean): FairSender => {
  const sources = new Set<Source>()
  let writable = true
  let stopped = false

  const pump = () => {
    while (writable) {
      const [source] = sources
      if (source === undefined) return
      sources.delete(source)
      if (source()) sources.add(source)
    }
  }

  const sender: FairSender = {
    enqueue: (source) => {
      sources.add(source)
      pump()
    },
    remove: (source) => sources.delete(source),
    write: (message) => (writable = !stopped && write(message)),
    send: (make) =>
      Effect.callback<void>((resume) => {
        const source = () => {
          sender.write(make())
          resume(Effect.void)
          return false
        }
        sender.enqueue(source)
        return Effect.sync(() => sender.remove(source))
      }),
    drain: () => {
      writable = !stopped
      pump()
    },
    stop: () => {
      stopped = true
      writable = false
    },
  }
  return sender
}
