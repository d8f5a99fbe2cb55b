/**
 * From the logs to one connection: each event of each process once, in seq order.
 *
 * Holds a cursor on every process of the session and sends one chunk of each waiting process in turn;
 * what is left waits in the logs, whose lag pauses the children. Output leaves in the same turn in which it was read.
 */
import type { Dialect } from "../protocol/dialect/Dialect.ts"
import { current } from "../protocol/dialect/current.ts"
import type { Process } from "../process/Process.ts"
import type { Outlet } from "./Outlet.ts"

export interface Notifier {
  /** Sends the events of `process` with a seq above `seq` from now on. */
  readonly attach: (process: Process, seq: number) => void
  /** Lets go of every process. */
  readonly close: () => void
}

/** Sends through the outlet of a connection, in the words of its dialect. */
export const make = (outlet: Outlet, events: Dialect["events"] = current.events): Notifier => {
  const stops = new Set<() => void>()
  let closed = false

  return {
    attach: (process, seq) => {
      if (closed || (process.closed !== undefined && process.closed.seq <= seq)) return
      const attachment = process.attach(seq)
      const encode = events(process.id)
      const turn = () => {
        const event = attachment.next()
        if (event === undefined) return false
        const message = encode(event)
        if (message !== undefined) outlet.write(message)
        attachment.advance(event.seq)
        if (event.kind === "closed") stop()
        return event.kind !== "closed"
      }
      const unsubscribe = process.subscribe(() => outlet.ask(turn))
      const stop = () => {
        unsubscribe()
        attachment.detach()
        stops.delete(stop)
        outlet.leave(turn)
      }
      stops.add(stop)
      outlet.ask(turn)
    },
    close: () => {
      closed = true
      for (const stop of stops) stop()
    },
  }
}
