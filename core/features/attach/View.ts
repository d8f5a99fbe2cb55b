/**
 * The events of a process for one attachment. Those who have attached to it under the same id share the text of the
 * last output, which is encoded once for all. Who may miss output has its turns on the `LossyQueue`.
 */
import type { Process } from "../../process/Process.ts"
import type { Sender, Source, Turns, View } from "../Following.ts"
import * as EventCursor from "./EventCursor.ts"
import type { LossyQueue } from "./LossyQueue.ts"

export interface Options extends Pick<View, "id" | "process"> {
  /** Whether the child waits for this connection. */
  readonly holds: boolean
  /** Paints what stands for output that this connection has missed; undefined for nothing. */
  readonly paint?: EventCursor.Paint | undefined
  /** The turns of those who may miss output. */
  readonly queue: LossyQueue
}

/** The last output that was sent to views of that id, as it was sent. */
interface Encoded {
  readonly id: string
  readonly seq: number
  readonly message: string | Uint8Array
}

const lastOf = new WeakMap<Process, Encoded>()

export const make = ({ id, process, holds, paint, queue }: Options): View => ({
  id,
  process,
  read: (seq, wake, ready) => {
    const painting: EventCursor.Paint | undefined =
      paint &&
      ((done) =>
        paint((picture) => {
          done(picture)
          wake()
        }))
    return EventCursor.after(process, seq, { holds, ready, paint: painting })
  },
  encode: (events) => {
    const encode = events(id)
    return (event) => {
      if (event.kind !== "output") return encode(event)
      const last = lastOf.get(process)
      if (last?.seq === event.seq && last.id === id) return last.message
      const message = encode(event)
      if (message !== undefined) lastOf.set(process, { id, seq: event.seq, message })
      return message
    }
  },
  turns: holds ? undefined : (sender) => sideways(sender, queue),
})

/**
 * Turns at a sender, one at a time, when the queue gives them. Who waits for one does not listen to the process
 * meanwhile: an output costs nothing for each viewer of a flood.
 */
const sideways = (sender: Sender, lossyQueue: LossyQueue): Turns => {
  let source: Source = () => false
  let due = false
  let listen = () => {}
  let unsubscribe: (() => void) | undefined
  const queue = () => {
    if (due) return
    due = true
    lossyQueue.enqueue(job)
    if (!due) return
    unsubscribe?.()
    unsubscribe = undefined
  }
  const once: Source = () => {
    due = false
    if (source()) queue()
    else listen()
    return false
  }
  const job = () => sender.enqueue(once)
  return {
    enqueue: (next) => {
      source = next
      queue()
    },
    remove: () => {
      due = false
      lossyQueue.remove(job)
      sender.remove(once)
    },
    write: sender.write,
    subscribe: (process, wake) => {
      listen = () => {
        unsubscribe ??= process.subscribe(wake)
      }
      listen()
      return () => {
        listen = () => {}
        unsubscribe?.()
      }
    },
  }
}
