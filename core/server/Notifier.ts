/**
 * Sends what happens to the processes of a session to one connection: each event once, in seq order.
 *
 * It holds a cursor on every process and sends one chunk of each waiting process in turn. The rest waits in the output
 * logs, whose lag pauses the children. While the peer keeps up, output leaves synchronously with the read.
 *
 * Output of a process under credit leaves as long as it fits in the credit. The credit belongs to the connection; what
 * waits for more of it delays this process alone.
 */
import type { Process } from "../process/Process.ts"
import { current } from "../protocol/dialect/current.ts"
import type { Dialect, Event } from "../protocol/dialect/Dialect.ts"
import { creditOf } from "../protocol/Process.ts"
import type { FairSender, Source } from "./FairSender.ts"

/** The notifier of one connection. */
export interface Notifier {
  /** Sends the events of `process` with a seq above `seq`, those to come as well; with `credit`, output within it. */
  readonly attach: (process: Process, seq: number, credit?: number) => void
  /** Adds to the credit, which a process that has none is put under. False, and nothing, if that is too much to count. */
  readonly grant: (process: Process, bytes: number) => boolean
  /** Detaches from every process; `attach` has no effect from then on. */
  readonly close: () => void
}

/** Bytes of output that may leave yet. */
interface Credit {
  left: number
}

interface Attached {
  /** Looks for something to send. */
  readonly wake: () => void
  /** Sends output within this credit from now on. */
  readonly limit: (credit: Credit) => void
  readonly stop: () => void
}

/** `events` encodes for the dialect of the connection; the default is the current wire. */
export const make = (sender: FairSender, events: Dialect["events"] = current.events): Notifier => {
  const attached = new Map<Process, Attached>()
  /** Of processes under credit. A grant may come before its process is attached, and after its last event. */
  const credits = new WeakMap<Process, Credit>()
  let closed = false

  const grant = (process: Process, bytes: number): boolean => {
    const known = credits.get(process)
    const left = (known?.left ?? 0) + bytes
    if (left > Number.MAX_SAFE_INTEGER) return false
    if (known === undefined) {
      const credit = { left }
      credits.set(process, credit)
      attached.get(process)?.limit(credit)
    } else {
      known.left = left
      attached.get(process)?.wake()
    }
    return true
  }

  const begin = (process: Process, seq: number): Attached => {
    const attachment = process.attach(seq)
    const encode = events(process.id)
    const send = (event: Event): boolean => {
      const message = encode(event)
      if (message !== undefined) sender.write(message)
      attachment.advance(event.seq)
      if (event.kind === "closed") stop()
      return event.kind !== "closed"
    }
    const sendNext: Source = () => {
      const event = attachment.next()
      return event !== undefined && send(event)
    }
    const within =
      (credit: Credit): Source =>
      () => {
        const event = attachment.next()
        if (event === undefined) return false
        if (event.kind === "output") {
          const counts = creditOf(event.bytes.length)
          if (counts > credit.left) return false
          credit.left -= counts
        }
        return send(event)
      }
    const credit = credits.get(process)
    let source = credit === undefined ? sendNext : within(credit)
    const wake = () => sender.enqueue(source)
    const unsubscribe = process.subscribe(wake)
    const stop = () => {
      unsubscribe()
      attachment.detach()
      attached.delete(process)
      sender.remove(source)
    }
    const limit = (credit: Credit) => {
      sender.remove(source)
      source = within(credit)
      wake()
    }
    return { wake, limit, stop }
  }

  return {
    attach: (process, seq, credit) => {
      if (closed || (process.closed !== undefined && process.closed.seq <= seq)) return
      if (credit !== undefined) grant(process, credit)
      const attachment = begin(process, seq)
      attached.set(process, attachment)
      attachment.wake()
    },
    grant,
    close: () => {
      closed = true
      for (const { stop } of attached.values()) stop()
    },
  }
}
