/**
 * Writes on their way into a child: in order, each at most once, and never in the way of others.
 *
 * A write that the child takes at once leaves at once. Others queue, up to `capacity`; beyond that the
 * caller waits until the child has read. What cannot be written because the child has closed its stdin
 * or is gone is dropped without an error, as on the wire.
 */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type { ChildHandle } from "../spawn/Spawner.ts"

/** Writes that queue before the next caller waits, as in the peer implementation. */
export const capacity = 128

/** Accepted write ids that are remembered, oldest forgotten first, as in the peer implementation. */
export const rememberedIds = 4096

export interface StdinQueue {
  /**
   * Takes the write's place in the order at the call; the effect completes when its bytes are written or
   * queued. A known `writeId` writes nothing.
   */
  readonly write: (bytes: Uint8Array, writeId: string | undefined) => Effect.Effect<void>
  /** True for a write id that was accepted before. */
  readonly knows: (writeId: string) => boolean
  /** Drops what waits and lets every waiting caller go. */
  readonly close: () => void
}

export const make = (child: Pick<ChildHandle, "write">): Effect.Effect<StdinQueue> =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    const run = Runtime.runFork(runtime)
    const ids = new Set<string>()
    const queue: Array<Uint8Array> = []
    const waiting = new Set<() => void>()
    let busy = false
    let closed = false
    let pumping = false

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
      for (let bytes = take(); bytes !== undefined; bytes = take()) {
        const fiber = run(Effect.ignore(child.write(bytes)), { immediate: true })
        if (fiber.unsafePoll() === null) {
          busy = true
          fiber.addObserver(() => {
            busy = false
            pump()
          })
        }
        admit()
      }
      pumping = false
    }

    const take = () => (busy || closed ? undefined : queue.shift())

    const enqueue = (bytes: Uint8Array, writeId: string | undefined) => {
      if (writeId !== undefined && ids.has(writeId)) return
      remember(writeId)
      if (closed) return
      queue.push(bytes)
      pump()
    }

    const admit = () => {
      for (const next of waiting) {
        if (queue.length >= capacity && !closed) return
        waiting.delete(next)
        next()
      }
    }

    return {
      knows: (writeId) => ids.has(writeId),
      write: (bytes, writeId) => {
        const known = writeId !== undefined && ids.has(writeId)
        if (known || closed || (queue.length < capacity && waiting.size === 0)) {
          enqueue(bytes, writeId)
          return Effect.void
        }
        let admitted = () => {}
        const next = () => {
          enqueue(bytes, writeId)
          admitted()
        }
        waiting.add(next)
        return Effect.async<void>((resume) => {
          if (!waiting.has(next)) return resume(Effect.void)
          admitted = () => resume(Effect.void)
          return Effect.sync(() => waiting.delete(next))
        })
      },
      close: () => {
        closed = true
        queue.length = 0
        admit()
      },
    }
  })
