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
import type { Followed, Following, Sender, Source, Turns } from "../features/Following.ts"
import type { FairSender } from "./FairSender.ts"

/** The notifier of one connection. */
export interface Notifier extends Following {
  /** Detaches from every process; `attach` has no effect from then on. */
  readonly close: () => void
}

/** Bytes of output that may leave yet. */
interface Credit {
  left: number
}

interface Cursor {
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
 * `events` encodes for the dialect of the connection; the default is the current wire. Output of processes is encoded
 * into `memory`, which the transport gives back.
 */
export const make = (
  sender: FairSender,
  events: Dialect["events"] = current.events,
  memory?: MemoryPool,
): Notifier => {
  const following = new Map<Followed, Cursor>()
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

  const begin = (followed: Followed, seq: number): Cursor => {
    const view = "read" in followed ? followed : undefined
    const made = follow(
      view?.turns?.(sender) ?? inTurn(sender),
      view?.encode(events) ?? events(followed.id, memory),
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

const processOf = (followed: Followed): Process => ("read" in followed ? followed.process : followed)

/** Follows one of them; `ended` is called when it has sent the last event, or is stopped. */
const follow = (
  sender: Turns,
  encode: ReturnType<Dialect["events"]>,
  followed: Followed,
  seq: number,
  credit: Credit | undefined,
  ended: () => void,
): Cursor => {
  const process = processOf(followed)
  let stopped = false
  let hasRoom = () => true
  const look = () => {
    if (!stopped) wake()
  }
  const attachment = "read" in followed ? followed.read(seq, look, () => hasRoom()) : process.attach(seq)
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

/** Turns as the sender gives them. */
const inTurn = (sender: Sender): Turns => ({
  ...sender,
  subscribe: (process, wake) => process.subscribe(wake),
})
