/**
 * Writes to the stdin of a child: in order, each at most once, and without delaying any other request.
 *
 * A write goes to the child at once if the child takes it. Otherwise it is queued, up to `capacity` writes; beyond that
 * the caller waits until the child has read. If the handle queues input itself, so that it outlives the server, the
 * queue is there: so many writes are under way to it, and one waits here. A write that would exceed the limit of
 * waiting bytes is refused. Bytes for a child that has closed its stdin or is gone are dropped without an error, as the
 * wire demands.
 */
import * as Effect from "effect/Effect"
import { LimitError } from "../protocol/Limits.ts"
import { giveBack } from "../protocol/MemoryPool.ts"
import type { ChildHandle } from "../spawn/Spawner.ts"
import { BoundedQueue } from "./BoundedQueue.ts"

/** The number of ids that are remembered, as in the peer implementation. */
export const idCapacity = 4096

/** The write ids that a process has accepted: a bounded set that forgets the oldest first. */
export class WriteIds {
  private readonly ids = new Set<string>()

  /** Those that are remembered, oldest first. */
  list(): ReadonlyArray<string> {
    return [...this.ids]
  }

  /** True if the id was added and not forgotten since. */
  has(id: string | undefined): boolean {
    return id !== undefined && this.ids.has(id)
  }

  /** Adds a new id. A write without an id is not remembered. */
  add(id: string | undefined): void {
    if (id === undefined) return
    this.ids.add(id)
    if (this.ids.size <= idCapacity) return
    const [oldest] = this.ids
    if (oldest !== undefined) this.ids.delete(oldest)
  }
}

/** Writes that are queued before the next caller waits, as in the peer implementation. */
export const capacity = 128

/** Writes that are queued before those without a waiter are dropped. The rest of the queue is for clients. */
export const mostOffered = capacity / 2

const end = Symbol("end of stdin")

/** The way to the stdin of one child. */
export interface StdinQueue {
  /**
   * Takes its place in the order at the call; completes when the bytes are written or queued. A `writeId` that is known
   * writes nothing. The id of a refused write is not remembered.
   */
  readonly write: (bytes: Uint8Array, writeId: string | undefined) => Effect.Effect<void, LimitError>
  /** A write that may be dropped, and is where there is no room: it has no waiter. */
  readonly offer: (bytes: Uint8Array) => void
  /** True where an offer would be taken. */
  readonly hasRoom: () => boolean
  /** True for a write id that was accepted before. */
  readonly knows: (writeId: string | undefined) => boolean
  /** Ends the child's stdin after the writes before the call. */
  readonly end: () => Effect.Effect<void>
  /** The number of writes, all of which the child has taken; undefined while one is on its way to it. */
  readonly taken: () => number | undefined
  /** True once the end is queued: later writes never reach the child. */
  readonly ended: () => boolean
  /** Drops the queued writes and lets every waiting caller go. */
  readonly close: () => void
}

/** A write on its way. */
interface Write {
  readonly bytes: Uint8Array
  readonly id?: string | undefined
}

/** Begins a write; undefined if the child has taken it. It has its own copy of what it has taken. */
const handOver = (child: Pick<ChildHandle, "write" | "begin">, { bytes, id }: Write) => {
  const write = child.begin === undefined ? child.write(bytes, id) : child.begin(bytes)
  return write === Effect.void ? giveBack(bytes) : Effect.ignore(Effect.map(write, () => giveBack(bytes)))
}

/** At most `limit` bytes wait for the child, or one write of any size. `known` are ids that were accepted before. */
export const make = (
  child: Pick<ChildHandle, "write" | "begin" | "endStdin" | "queuesInput">,
  limit = Infinity,
  known: Iterable<string> = [],
): Effect.Effect<StdinQueue> =>
  Effect.map(Effect.context<never>(), (context) => {
    const run = Effect.runForkWith(context)
    const ids = new WriteIds()
    for (const id of known) ids.add(id)
    const [room, atOnce] = child.queuesInput === true ? [1, capacity] : [capacity, 1]
    const queue = new BoundedQueue<Write | typeof end>(room)
    /** Writes that the child has not taken yet, at most `atOnce`. */
    let begun = 0
    let pumping = false
    let ended = false
    /** Bytes of the writes that the child has not taken. */
    let held = 0
    let written = 0

    /** Hands queued writes to the child until too many of them are not taken. */
    const pump = () => {
      if (pumping) return
      pumping = true
      while (begun < atOnce) {
        const next = queue.shift()
        if (next === undefined) break
        const size = next === end ? 0 : next.bytes.length
        const write = next === end ? child.endStdin : handOver(child, next)
        const fiber = write && run(write)
        if (fiber === undefined || fiber.pollUnsafe() !== undefined) {
          held -= size
          continue
        }
        begun += 1
        fiber.addObserver(() => {
          begun -= 1
          held -= size
          pump()
        })
      }
      pumping = false
    }

    const enqueue = (item: Write | typeof end) => {
      if (queue.closed || ended) return
      ended = item === end
      queue.push(item)
      pump()
    }

    const write = (bytes: Uint8Array, writeId: string | undefined) => {
      if (ids.has(writeId)) return Effect.void
      if (held > 0 && held + bytes.length > limit && !queue.closed) {
        return Effect.fail(new LimitError({ limit: "stdinBytes", value: limit }))
      }
      const drop = () => {
        held -= bytes.length
      }
      held += bytes.length
      return queue.whenRoom(() => {
        const known = ids.has(writeId)
        if (known || ended) drop()
        if (known) return
        ids.add(writeId)
        written += 1
        enqueue({ bytes, id: writeId })
      }, drop)
    }

    const hasRoom = () => !ended && !queue.closed && queue.size < mostOffered && held < limit

    const offer = (bytes: Uint8Array) => {
      if (!hasRoom()) return
      held += bytes.length
      written += 1
      enqueue({ bytes })
    }

    return {
      write,
      offer,
      hasRoom,
      knows: (writeId) => ids.has(writeId),
      end: () => queue.whenRoom(() => enqueue(end)),
      taken: () => (held === 0 ? written : undefined),
      ended: () => ended,
      close: () => queue.close(),
    }
  })
