/**
 * Sends what happens to the processes of a session to one connection: each event once, in seq order.
 *
 * It holds a cursor on every process and sends one chunk of each waiting process in turn. The rest waits in the output
 * logs, whose lag pauses the children. While the peer keeps up, output leaves synchronously with the read.
 *
 * Output of a process under credit leaves as long as it fits in the credit. The credit belongs to the connection; what
 * waits for more of it delays this process alone.
 */
import { maxChunkBytes } from "../process/Chunk.ts"
import type { Process } from "../process/Process.ts"
import { current } from "../protocol/dialect/current.ts"
import type { Dialect, Event } from "../protocol/dialect/Dialect.ts"
import { MemoryPool } from "../protocol/MemoryPool.ts"
import { creditOf, leastCredit } from "../protocol/Credit.ts"
import * as EventCursor from "../process/EventCursor.ts"
import type { FairSender, Source } from "./FairSender.ts"
import type { LossyQueue } from "./LossyQueue.ts"

/** What is followed: a process of the session, or an attachment. */
export type Followed = Process | Attached

/** A process that the connection has attached to. */
export interface Attached {
  /** Its id on this connection. */
  readonly id: string
  /** The process. */
  readonly process: Process
  /** Whether the child waits for this connection. */
  readonly holds: boolean
  /** Paints what stands for output that this connection has missed; undefined for nothing. */
  readonly paint?: EventCursor.Paint | undefined
}

/** The notifier of one connection. */
export interface Notifier {
  /** Sends the events of a process with a seq above `seq`, those to come as well; with `credit`, output within it. */
  readonly attach: (followed: Followed, seq: number, credit?: number) => void
  /** Adds to the credit, which a process that has none is put under. False, and nothing, if that is too much to count. */
  readonly grant: (followed: Followed, bytes: number) => boolean
  /** What it still sends the events of under that id, also when nobody else knows the id any more. */
  readonly find: (id: string) => Followed | undefined
  /** Sends nothing more of this one. */
  readonly leave: (followed: Followed) => void
  /** Detaches from every process; `attach` has no effect from then on. */
  readonly close: () => void
}

/** Bytes of output that may leave yet. */
interface Credit {
  left: number
}

interface Following {
  /** Looks for something to send. */
  readonly wake: () => void
  /** Sends output within this credit from now on. */
  readonly limit: (credit: Credit) => void
  readonly stop: () => void
}

/** The longest message with a chunk of output, but for the id of its process, which is rarely long. */
const usualBytes = (maxChunkBytes / 3) * 4 + 1024

/** Memory for messages with output, for all connections of a server: 1.4 MiB are kept, more than one queue holds. */
export const toPool = (): MemoryPool => new MemoryPool(Math.ceil(usualBytes), 16)

/**
 * `events` encodes for the dialect of the connection; the default is the current wire. Attachments that may miss
 * something have their turns on the lossyQueue; the default gives them every one. Output of processes is encoded into
 * `memory`, which the transport gives back.
 */
export const make = (
  sender: FairSender,
  events: Dialect["events"] = current.events,
  lossyQueue: LossyQueue = unlimited,
  memory?: MemoryPool,
): Notifier => {
  const following = new Map<Followed, Following>()
  /** Of processes under credit. A grant may come before its process is attached, and after its last event. */
  const credits = new WeakMap<Followed, Credit>()
  let closed = false

  const grant = (followed: Followed, bytes: number): boolean => {
    const known = credits.get(followed)
    const left = (known?.left ?? 0) + bytes
    if (left > Number.MAX_SAFE_INTEGER) return false
    if (known === undefined) {
      const credit = { left }
      credits.set(followed, credit)
      following.get(followed)?.limit(credit)
    } else {
      known.left = left
      following.get(followed)?.wake()
    }
    return true
  }

  const begin = (followed: Followed, seq: number): Following => {
    const turns = "holds" in followed && !followed.holds ? sideways(sender, lossyQueue) : inTurn(sender)
    const made = follow(
      turns,
      encoderOf(followed, events, memory),
      followed,
      seq,
      credits.get(followed),
      () => following.delete(followed),
    )
    following.set(followed, made)
    return made
  }

  return {
    attach: (followed, seq, credit) => {
      const end = processOf(followed).closed
      if (closed || (end !== undefined && end.seq <= seq)) return
      if (credit !== undefined) grant(followed, credit)
      begin(followed, seq).wake()
    },
    grant,
    find: (id) => [...following.keys()].find((followed) => followed.id === id),
    leave: (followed) => following.get(followed)?.stop(),
    close: () => {
      closed = true
      for (const { stop } of following.values()) stop()
    },
  }
}

const processOf = (followed: Followed): Process => ("holds" in followed ? followed.process : followed)

/**
 * Encodes the events of a process. Those who have attached to it under the same id share the text of the last output:
 * it is encoded once for all.
 */
const encoderOf = (
  followed: Followed,
  events: Dialect["events"],
  memory: MemoryPool | undefined,
): ReturnType<Dialect["events"]> => {
  if (!("holds" in followed)) return events(followed.id, memory)
  const encode = events(followed.id)
  const { id, process } = followed
  return (event) => {
    if (event.kind !== "output") return encode(event)
    const { encoded } = process.clients
    if (encoded?.seq === event.seq && encoded.id === id) return encoded.message
    const message = encode(event)
    process.clients.encoded = message === undefined ? undefined : { id, seq: event.seq, message }
    return message
  }
}

/** How an attachment lags; `painted` is called after each picture. */
const lagOf = ({ holds, paint }: Attached, painted: () => void): EventCursor.Lag => ({
  holds,
  paint:
    paint &&
    ((done) =>
      paint((picture) => {
        done(picture)
        painted()
      })),
})

/** Follows one of them; `ended` is called when it has sent the last event, or is stopped. */
const follow = (
  sender: Turns,
  encode: ReturnType<Dialect["events"]>,
  followed: Followed,
  seq: number,
  credit: Credit | undefined,
  ended: () => void,
): Following => {
  const process = processOf(followed)
  let stopped = false
  let hasRoom = () => true
  const painted = () => {
    if (!stopped) wake()
  }
  const attachment =
    "holds" in followed
      ? EventCursor.after(process, seq, { ...lagOf(followed, painted), ready: () => hasRoom() })
      : process.attach(seq)
  let keepsUp = true
  const send = (event: Event): boolean => {
    const message = encode(event)
    if (message !== undefined) keepsUp = sender.write(message)
    attachment.advance(event.seq)
    if (event.kind === "closed") stop()
    return event.kind !== "closed"
  }
  // What is behind a gap goes with it: until a later turn, it may be gone as well.
  const goesOn = (event: Event, source: Source): boolean =>
    event.kind === "gap" ? send(event) && (!keepsUp || source()) : send(event)
  const sendNext: Source = () => {
    const event = attachment.next()
    return event !== undefined && goesOn(event, sendNext)
  }
  const within = (credit: Credit): Source => {
    hasRoom = () => credit.left >= leastCredit
    const sendNext: Source = () => {
      const event = attachment.next()
      if (event === undefined) return false
      // A gap waits for room for any chunk, and grows meanwhile.
      if (event.kind === "gap" && !hasRoom()) return false
      if (event.kind === "output") {
        const counts = creditOf(event.bytes.length)
        if (counts > credit.left) return false
        credit.left -= counts
      }
      return goesOn(event, sendNext)
    }
    return sendNext
  }
  let source = credit === undefined ? sendNext : within(credit)
  const wake = () => sender.enqueue(source)
  const unsubscribe = sender.subscribe(process, wake)
  const stop = () => {
    stopped = true
    unsubscribe()
    attachment.detach()
    ended()
    sender.remove(source)
  }
  const limit = (credit: Credit) => {
    sender.remove(source)
    source = within(credit)
    wake()
  }
  return { wake, limit, stop }
}

/** Where what is followed gets its turns. */
interface Turns extends Pick<FairSender, "enqueue" | "remove" | "write"> {
  /** Calls `wake` after every change of the process until the returned function is called. */
  readonly subscribe: (process: Process, wake: () => void) => () => void
}

/** Runs every job at once. */
const unlimited: LossyQueue = { enqueue: (job) => job(), remove: () => {} }

/** Turns as the sender gives them. */
const inTurn = (sender: FairSender): Turns => ({
  ...sender,
  subscribe: (process, wake) => process.subscribe(wake),
})

/**
 * Turns at a sender, one at a time, when the lossyQueue gives them. Who waits for one does not listen to the process
 * meanwhile: an output costs nothing for each viewer of a flood.
 */
const sideways = (sender: FairSender, lossyQueue: LossyQueue): Turns => {
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
