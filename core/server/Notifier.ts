/**
 * Sends what happens to the processes of a session to one connection: each event once, in seq order.
 *
 * It holds a cursor on every process and sends one chunk of each waiting process in turn. The rest waits in the output
 * logs, whose lag pauses the children. While the peer keeps up, output leaves synchronously with the read.
 */
import type { Process } from "../process/Process.ts"
import { current } from "../protocol/dialect/current.ts"
import type { Dialect } from "../protocol/dialect/Dialect.ts"
import type { FairSender } from "./FairSender.ts"

/** The notifier of one connection. */
export interface Notifier {
  /** Sends the events of `process` with a seq above `seq`, those to come as well. */
  readonly attach: (process: Process, seq: number) => void
  /** Detaches from every process; `attach` has no effect from then on. */
  readonly close: () => void
}

/** `events` encodes for the dialect of the connection; the default is the current wire. */
export const make = (sender: FairSender, events: Dialect["events"] = current.events): Notifier => {
  const stops = new Set<() => void>()
  let closed = false

  return {
    attach: (process, seq) => {
      if (closed || (process.closed !== undefined && process.closed.seq <= seq)) return
      const attachment = process.attach(seq)
      const encode = events(process.id)
      const sendNext = () => {
        const event = attachment.next()
        if (event === undefined) return false
        const message = encode(event)
        if (message !== undefined) sender.write(message)
        attachment.advance(event.seq)
        if (event.kind === "closed") stop()
        return event.kind !== "closed"
      }
      const unsubscribe = process.subscribe(() => sender.enqueue(sendNext))
      const stop = () => {
        unsubscribe()
        attachment.detach()
        stops.delete(stop)
        sender.remove(sendNext)
      }
      stops.add(stop)
      sender.enqueue(sendNext)
    },
    close: () => {
      closed = true
      for (const stop of stops) stop()
    },
  }
}
