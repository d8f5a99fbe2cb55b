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
import { creditOf, leastCredit } from "../protocol/Process.ts"
import * as Told from "../process/Told.ts"
import type { FairSender, Source } from "./FairSender.ts"
import type { Sideline } from "./Sideline.ts"

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
}

/** The notifier of one connection. */
export interface Notifier {
  /** Sends the events of a process with a seq above `seq`, those to come as well; with `credit`, output within it. */
  readonly attach: (followed: Followed, seq: number, credit?: number) => void
  /** Adds to the credit, which a process that has none is put under. False, and nothing, if that is too much to count. */
  readonly grant: (followed: Followed, bytes: number) => boolean
  /** Sends nothing more of this one. */
  readonly leave: (followed: Followed) => void
  /** Detaches from every process; `attach` has no effect from then on. */
  readonly close: () => void
}

/** Bytes of output that may leave yet. */
interface Credit {
  left: number
}

/** Where what is followed gets its turns. */
interface Turns extends Pick<FairSender, "enqueue" | "remove" | "write"> {
  /** Calls `wake` after every change of the process until the returned function is called. */
  readonly subscribe: (process: Process, wake: () => void) => () => void
}

interface Following {
  /** Looks for something to send. */
  readonly wake: () => void
  /** Sends output within this credit from now on. */
  readonly limit: (credit: Credit) => void
  readonly stop: () => void
}

/**
 * `events` encodes for the dialect of the connection; the default is the current wire. Attachments that may miss
 * something have their turns on the sideline; the default gives them every one.
 */
export const make = (
  sender: FairSender,
  events: Dialect["events"] = current.events,
  sideline: Sideline = unlimited,
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
    const turns = "holds" in followed && !followed.holds ? sideways(sender, sideline) : inTurn(sender)
    const made = follow(turns, encoderOf(followed, events), followed, seq, credits.get(followed), () =>
      following.delete(followed),
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
    leave: (followed) => following.get(followed)?.stop(),
    close: () => {
      closed = true
      for (const { stop } of following.values()) stop()
    },
  }
}

const processOf = (followed: Followed): Process => ("holds" in followed ? followed.process : followed)

/** Runs every job at once. */
const unlimited: Sideline = { enqueue: (job) => job(), remove: () => {} }

/** Turns as the sender gives them. */
const inTurn = (sender: FairSender): Turns => ({
  ...sender,
  subscribe: (process, wake) => process.subscribe(wake),
})

/**
 * Turns at a sender, one at a time, when the sideline gives them. Who waits for one does not listen to the process
 * meanwhile: an output costs nothing for each viewer of a flood.
 */
const sideways = (sender: FairSender, sideline: Sideline): Turns => {
  let source: Source = () => false
  let due = false
  let listen = () => {}
  let unsubscribe: (() => void) | undefined
  const queue = () => {
    if (due) return
    due = true
    sideline.enqueue(job)
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
      sideline.remove(job)
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

/**
 * Encodes the events of a process. Those who have attached to it under the same id share the text of the last output:
 * it is encoded once for all.
 */
const encoderOf = (followed: Followed, events: Dialect["events"]): ReturnType<Dialect["events"]> => {
  const encode = events(followed.id)
  if (!("holds" in followed)) return encode
  const { id, process } = followed
  return (event) => {
    if (event.kind !== "output") return encode(event)
    const { encoded } = process.sharing
    if (encoded?.seq === event.seq && encoded.id === id) return encoded.message
    const message = encode(event)
    process.sharing.encoded = message === undefined ? undefined : { id, seq: event.seq, message }
    return message
  }
}

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
  const attachment = "holds" in followed ? Told.after(process, seq, followed.holds) : process.attach(seq)
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
      // A gap waits for room for any chunk, and grows meanwhile.
      if (event.kind === "gap" && credit.left < leastCredit) return false
      if (event.kind === "output") {
        const counts = creditOf(event.bytes.length)
        if (counts > credit.left) return false
        credit.left -= counts
      }
      return send(event)
    }
  let source = credit === undefined ? sendNext : within(credit)
  const wake = () => sender.enqueue(source)
  const unsubscribe = sender.subscribe(process, wake)
  const stop = () => {
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
