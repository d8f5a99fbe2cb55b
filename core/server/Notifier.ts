/**
 * From the logs to one connection: each event of each process once, in seq order.
 *
 * Holds a cursor on every process of the session and sends one chunk of each waiting process in turn; what is left
 * waits in the logs, whose lag pauses the children. Output leaves in the same turn in which it was read.
 */
import { notificationText } from "../protocol/Message.ts"
import * as OutputText from "../protocol/OutputText.ts"
import type { Event, Process } from "../process/Process.ts"
import type { Outgoing } from "../transport/Transport.ts"
import type { Outlet } from "./Outlet.ts"

export interface Notifier {
  /** Sends the events of `process` with a seq above `seq` from now on. */
  readonly attach: (process: Process, seq: number) => void
  /** Lets go of every process. */
  readonly close: () => void
}

interface Follower {
  readonly stop: () => void
}

/** Sends through the outlet of a connection. */
export const make = (outlet: Outlet): Notifier => {
  const followers = new Set<Follower>()
  let closed = false

  return {
    attach: (process, seq) => {
      if (closed || (process.closed !== undefined && process.closed.seq <= seq)) return
      const attachment = process.attach(seq)
      const encode = makeEncoder(process.id)
      const turn = () => {
        const event = attachment.next()
        if (event === undefined) return false
        outlet.write(encode(event))
        attachment.advance(event.seq)
        if (event.kind === "closed") follower.stop()
        return event.kind !== "closed"
      }
      const unsubscribe = process.subscribe(() => outlet.ask(turn))
      const follower: Follower = {
        stop: () => {
          unsubscribe()
          attachment.detach()
          followers.delete(follower)
          outlet.leave(turn)
        },
      }
      followers.add(follower)
      outlet.ask(turn)
    },
    close: () => {
      closed = true
      for (const follower of followers) follower.stop()
    },
  }
}

const makeEncoder = (processId: string) => {
  const output = OutputText.makeNotification(processId)
  return (event: Event): Outgoing => {
    switch (event.kind) {
      case "output":
        return output(event)
      case "exited": {
        const { seq, exitCode } = event
        return notificationText("process/exited", { processId, seq, exitCode, sandboxDenied: false })
      }
      case "closed":
        return notificationText("process/closed", { processId, seq: event.seq })
    }
  }
}
