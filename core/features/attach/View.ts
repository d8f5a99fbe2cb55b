/**
 * The events of a process for one attachment. Those who have attached to it under the same id share the text of the
 * last output, which is encoded once for all. A view that may miss output has its turns on the `LossyQueue`.
 */
import type { Process } from "../../process/Process.ts"
import type { Sender, Source, Turns, View } from "../Feature.ts"
import type { LossyQueue } from "./LossyQueue.ts"
import type { Attachment } from "../../process/Attachment.ts"
import type { ScreenResult } from "../screen/wire.ts"

export interface Options extends Pick<View, "id" | "process"> {
  /** True if the child waits for this connection. */
  readonly holds: boolean
  /** Paints what stands for output that this connection has missed; undefined for nothing. */
  readonly paint?: Paint | undefined
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
    const painting: Paint | undefined =
      paint &&
      ((done) =>
        paint((picture) => {
          done(picture)
          wake()
        }))
    return after(process, seq, { holds, ready, paint: painting })
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
 * Turns at a sender, one at a time, when the queue gives them. A view that waits for one does not listen to the process
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

/** Paints what the terminal shows now, and calls `done` with it, later than it returns; undefined if it cannot. */
export type Paint = (done: (picture: ScreenResult | undefined) => void) => void

/** The lag of the reader of an attachment. */
export interface Lag {
  /** The child waits for it. Otherwise it may miss output. */
  readonly holds: boolean
  /** The picture to which it jumps over missed output. Its `done` is followed by the next look for an event. */
  readonly paint?: Paint | undefined
  /** False while a gap cannot be sent, and a picture would be old when it can. */
  readonly ready?: () => boolean
}

/** The events of a process above `seq`. */
export const after = (
  process: Process,
  seq: number,
  { holds, paint, ready = () => true }: Lag,
): Attachment => {
  const reader = holds ? process.attach(seq) : watcher(process, seq)
  let last = seq
  /** The picture in place of the next gap; undefined is not asked for. */
  let picture: ScreenResult | "asked" | "none" | undefined
  /** Output up to here is in a picture. */
  let painted = 0
  const next = (): ReturnType<Attachment["next"]> => {
    let event = reader.next()
    while (event?.kind === "output" && event.seq <= painted) {
      reader.advance(event.seq)
      event = reader.next()
    }
    // Every seq belongs to an event, so one that nothing has any more was output.
    const end = event?.seq ?? process.log.nextSeq()
    if (end <= last + 1) return event
    const gap = { kind: "gap", from: last + 1, seq: end - 1 } as const
    if (paint === undefined || picture === "none") return gap
    if (typeof picture === "object") return { ...gap, seq: Math.min(gap.seq, picture.seq), screen: picture }
    if (last < painted) return { ...gap, seq: Math.min(gap.seq, painted) }
    if (picture === undefined && ready()) {
      picture = "asked"
      paint((done) => {
        picture = done ?? "none"
        painted = done?.seq ?? painted
      })
    }
    return undefined
  }
  return {
    next,
    advance: (seq) => {
      last = seq
      picture = undefined
      reader.advance(seq)
    },
    detach: reader.detach,
  }
}

/** A reader that holds nothing: what leaves the log before it has come does not come. */
const watcher = (process: Process, seq: number): Attachment => {
  let last = seq
  const reader = {
    next: () => process.eventAfter(last),
    advance: (seq: number) => {
      last = seq
    },
    detach: () => {},
  }
  return process.watched(reader)
}
