/**
 * From the logs to one connection: each event of each process once, in seq order.
 *
 * Holds a cursor on every process of the session and sends as long as the peer keeps up, one chunk of
 * each waiting process in turn; what is left waits in the logs, whose lag pauses the children. Output
 * leaves in the same turn in which it was read.
 */
import { notificationText } from "../protocol/Message.ts"
import * as OutputText from "../protocol/OutputText.ts"
import type { Attachment, Event, Process } from "../process/Process.ts"
import type { Outgoing } from "../transport/Transport.ts"

export interface Notifier {
  /** Sends the events of `process` with a seq above `seq` from now on. */
  readonly attach: (process: Process, seq: number) => void
  /** To be called when the peer keeps up again. */
  readonly drain: () => void
  /** Lets go of every process. */
  readonly close: () => void
}

interface Follower {
  readonly attachment: Attachment
  readonly encode: (event: Event) => Outgoing
  readonly stop: () => void
}

/** `write` queues one message and answers whether the peer keeps up. */
export const make = (write: (message: Outgoing) => boolean): Notifier => {
  const followers = new Set<Follower>()
  /** Those that may have something to send, in turn. */
  const waiting = new Set<Follower>()
  let writable = true
  let closed = false

  const sendNext = (follower: Follower) => {
    const event = follower.attachment.next()
    if (event === undefined) {
      waiting.delete(follower)
      return
    }
    writable = write(follower.encode(event))
    follower.attachment.advance(event.seq)
    if (event.kind === "closed") {
      follower.stop()
      return
    }
    waiting.delete(follower)
    waiting.add(follower)
  }

  const pump = () => {
    while (writable) {
      const [follower] = waiting
      if (follower === undefined) return
      sendNext(follower)
    }
  }

  return {
    attach: (process, seq) => {
      if (closed || (process.closed !== undefined && process.closed.seq <= seq)) return
      const attachment = process.attach(seq)
      const unsubscribe = process.subscribe(() => {
        waiting.add(follower)
        if (writable) pump()
      })
      const follower: Follower = {
        attachment,
        encode: makeEncoder(process.id),
        stop: () => {
          unsubscribe()
          attachment.detach()
          followers.delete(follower)
          waiting.delete(follower)
        },
      }
      followers.add(follower)
      waiting.add(follower)
      pump()
    },
    drain: () => {
      writable = true
      pump()
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
        const { seq, exitCode, sandboxDenied } = event
        return notificationText("process/exited", { processId, seq, exitCode, sandboxDenied })
      }
      case "closed":
        return notificationText("process/closed", { processId, seq: event.seq })
    }
  }
}
