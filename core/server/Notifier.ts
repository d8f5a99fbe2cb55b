/**
 * Sends what happens to the processes of a session to one connection: each event once, in seq order.
 *
 * It holds a cursor on every process and sends one chunk of each waiting process in turn. The rest waits in the output
 * logs, whose lag pauses the children. While the peer keeps up, output leaves synchronously with the read.
 */
import { maxChunkBytes } from "../process/Chunk.ts"
import type { Process } from "../process/Process.ts"
import { current } from "../protocol/dialect/current.ts"
import type { Dialect, Event } from "../protocol/dialect/Dialect.ts"
import { MemoryPool } from "../protocol/MemoryPool.ts"
import type { Followed, Following, Gate, Sender, Source, Turns } from "../features/Feature.ts"
import type { FairSender } from "./FairSender.ts"

export type { Followed, Following, Gate, Sender, Source, Turns, View } from "../features/Feature.ts"

/** The notifier of one connection. */
export interface Notifier extends Following {
  /** Detaches from every process; `attach` has no effect from then on. */
  readonly close: () => void
}

interface Cursor {
  /** Looks for something to send. */
  readonly wake: () => void
  /** Sends what this gate lets pass from now on. */
  readonly limit: (gate: Gate) => void
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
  let closed = false

  const begin = (followed: Followed, seq: number, gate: Gate | undefined): Cursor => {
    const view = "read" in followed ? followed : undefined
    const made = follow(
      view?.turns?.(sender) ?? inTurn(sender),
      view?.encode(events) ?? events(followed.id, memory),
      followed,
      seq,
      gate,
      () => following.delete(followed),
    )
    following.set(followed, made)
    return made
  }

  return {
    attach: (followed, seq, gate) => {
      const end = processOf(followed).closed
      if (closed || (end !== undefined && end.seq <= seq)) return
      begin(followed, seq, gate).wake()
    },
    gate: (followed, gate) => following.get(followed)?.limit(gate),
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
  first: Gate | undefined,
  ended: () => void,
): Cursor => {
  const process = processOf(followed)
  let stopped = false
  let gate = first
  const look = () => {
    if (!stopped) wake()
  }
  const attachment =
    "read" in followed ? followed.read(seq, look, () => gate?.hasRoom() ?? true) : process.attach(seq)
  let keepsUp = true
  const send = (event: Event): boolean => {
    const message = encode(event)
    if (message !== undefined) keepsUp = sender.write(message)
    attachment.advance(event.seq)
    if (event.kind === "closed") stop()
    return event.kind !== "closed"
  }
  // The event behind a gap goes with it: until a later turn, it may be gone as well.
  const goesOn = (event: Event): boolean =>
    event.kind === "gap" ? send(event) && (!keepsUp || source()) : send(event)
  const source: Source = () => {
    const event = attachment.next()
    return event !== undefined && (gate === undefined || gate.pass(event)) && goesOn(event)
  }
  const wake = () => sender.enqueue(source)
  const unsubscribe = sender.subscribe(process, wake)
  const stop = () => {
    stopped = true
    unsubscribe()
    attachment.detach()
    ended()
    sender.remove(source)
  }
  const limit = (next: Gate) => {
    gate = next
    wake()
  }
  return { wake, limit, stop }
}

/** Turns as the sender gives them. */
const inTurn = (sender: Sender): Turns => ({
  ...sender,
  subscribe: (process, wake) => process.subscribe(wake),
})
