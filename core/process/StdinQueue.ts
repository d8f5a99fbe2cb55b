/**
 * Writes on their way into a child: in order, each at most once, and never in the way of others.
 *
 * A write that the child takes at once leaves at once. Others queue, up to `capacity`; beyond that the
 * caller waits until the child has read. Where more bytes wait than the limit allows, one more write is refused. What cannot be written because the child has closed its stdin
 * or is gone is dropped without an error, as on the wire.
 */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { LimitError } from "../protocol/Limits.ts"
import type { ChildHandle } from "../spawn/Spawner.ts"

/** Writes that queue before the next caller waits, as in the peer implementation. */
export const capacity = 128

/** Accepted write ids that are remembered, oldest forgotten first, as in the peer implementation. */
export const rememberedIds = 4096

const end = Symbol("end of stdin")

export interface StdinQueue {
  /**
   * Takes the write's place in the order at the call; the effect completes when its bytes are written or
   * queued. A known `writeId` writes nothing, and that of a refused write is not known.
   */
  readonly write: (bytes: Uint8Array, writeId: string | undefined) => Effect.Effect<void, LimitError>
  /** True for a write id that was accepted before. */
  readonly knows: (writeId: string | undefined) => boolean
  /** Ends the child's stdin behind the writes before the call. */
  readonly end: () => Effect.Effect<void>
  /** True once the end is queued: what comes behind it is not for the child. */
  readonly ended: () => boolean
  /** Drops what waits and lets every waiting caller go. */
  readonly close: () => void
}

export const make = (
  child: Pick<ChildHandle, "write" | "endStdin">,
  limit = Infinity,
): Effect.Effect<StdinQueue> =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    const run = Runtime.runFork(runtime)
    const ids = new Set<string>()
    const queue: Array<Uint8Array | typeof end> = []
    const waiting = new Set<() => void>()
    let busy = false
    /** Bytes of the writes that the child has not taken. */
    let held = 0
    let ended = false
    let closed = false
    let pumping = false

    const knows = (writeId: string | undefined) => writeId !== undefined && ids.has(writeId)

    const remember = (writeId: string | undefined) => {
      if (writeId === undefined) return
      ids.add(writeId)
      if (ids.size <= rememberedIds) return
      for (const oldest of ids) {
        ids.delete(oldest)
        return
      }
    }

    /** Hands bytes to the child until it no longer takes them at once. */
    const pump = () => {
      if (pumping) return
      pumping = true
      for (let next = take(); next !== undefined; next = take()) {
        const fiber = run(next === end ? child.endStdin : Effect.ignore(child.write(next)), {
          immediate: true,
        })
        const size = next === end ? 0 : next.length
        if (fiber.unsafePoll() === null) {
          busy = true
          fiber.addObserver(() => {
            busy = false
            held -= size
            pump()
          })
        } else held -= size
        admit()
      }
      pumping = false
    }

    const take = () => (busy || closed ? undefined : queue.shift())

    const enqueue = (item: Uint8Array | typeof end) => {
      if (closed || ended) return
      ended = item === end
      queue.push(item)
      pump()
    }

    /** Runs `accept` when there is room in the queue, behind everybody who waits for it. */
    const whenRoom = (accept: () => void, abandon = () => {}): Effect.Effect<void> => {
      if (closed || (queue.length < capacity && waiting.size === 0)) {
        accept()
        return Effect.void
      }
      let admitted = () => {}
      const next = () => {
        accept()
        admitted()
      }
      waiting.add(next)
      return Effect.async<void>((resume) => {
        if (!waiting.has(next)) return resume(Effect.void)
        admitted = () => resume(Effect.void)
        return Effect.sync(() => {
          if (waiting.delete(next)) abandon()
        })
      })
    }

    const admit = () => {
      for (const next of waiting) {
        if (queue.length >= capacity && !closed) return
        waiting.delete(next)
        next()
      }
    }

    return {
      knows,
      write: (bytes, writeId) => {
        if (knows(writeId)) return Effect.void
        if (held > 0 && held + bytes.length > limit && !closed) {
          return Effect.fail(new LimitError({ limit: "stdinBytes", value: limit }))
        }
        const drop = () => {
          held -= bytes.length
        }
        held += bytes.length
        return whenRoom(() => {
          if (knows(writeId) || ended) drop()
          if (knows(writeId)) return
          remember(writeId)
          enqueue(bytes)
        }, drop)
      },
      end: () => whenRoom(() => enqueue(end)),
      ended: () => ended,
      close: () => {
        closed = true
        queue.length = 0
        admit()
      },
    }
  })
