/**
 * What a server sends on its own account to one connection: output of processes and bodies of responses, in turn.
 *
 * Whoever has something to send asks for a turn; in it, one message is written. Turns go round as long as the peer
 * keeps up, and again when it does. So what waits in the transport stays small however many senders there are, and none
 * of them can starve the others.
 */
import * as Effect from "effect/Effect"
import type { Outgoing } from "../transport/Transport.ts"

/** Writes at most one message through the outlet; true if there may be another. */
export type Turn = () => boolean

export interface Outlet {
  /** Asks for turns until one answers false. Asking twice is asking once. */
  readonly ask: (turn: Turn) => void
  /** Wants no turn any more. */
  readonly leave: (turn: Turn) => void
  /** Writes a message; only in a turn. */
  readonly write: (message: Outgoing) => void
  /** Sends one message when its turn has come. */
  readonly send: (message: Outgoing) => Effect.Effect<void>
  /** To be called when the peer keeps up again. */
  readonly drain: () => void
}

/** `write` queues one message and answers whether the peer keeps up. */
export const make = (write: (message: Outgoing) => boolean): Outlet => {
  const turns = new Set<Turn>()
  let writable = true

  const pump = () => {
    while (writable) {
      const [turn] = turns
      if (turn === undefined) return
      turns.delete(turn)
      if (turn()) turns.add(turn)
    }
  }

  const outlet: Outlet = {
    ask: (turn) => {
      turns.add(turn)
      pump()
    },
    leave: (turn) => turns.delete(turn),
    write: (message) => {
      writable = write(message)
    },
    send: (message) =>
      Effect.async<void>((resume) => {
        const turn = () => {
          outlet.write(message)
          resume(Effect.void)
          return false
        }
        outlet.ask(turn)
        return Effect.sync(() => outlet.leave(turn))
      }),
    drain: () => {
      writable = true
      pump()
    },
  }
  return outlet
}
