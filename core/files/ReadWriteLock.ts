/**
 * A first-come, first-served read-write lock: readers run together, a writer runs alone, and there is no overtaking.
 *
 * So a client that pipelines its requests sees the same results as one that waits for each answer.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

export interface ReadWriteLock {
  /** Runs `work` together with other shared work. */
  readonly shared: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Runs `work` alone. */
  readonly exclusive: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

interface Waiting {
  readonly alone: boolean
  readonly begin: () => void
}

export const make = (): ReadWriteLock => {
  const queue: Array<Waiting> = []
  let running = 0
  let exclusive = false

  const free = (alone: boolean) => !exclusive && (!alone || running === 0)

  const take = (alone: boolean) => {
    running += 1
    exclusive = alone
  }

  const advance = () => {
    for (let next = queue[0]; next !== undefined && free(next.alone); next = queue[0]) {
      queue.shift()
      take(next.alone)
      next.begin()
    }
  }

  const release = () => {
    running -= 1
    exclusive = false
    advance()
  }

  const leave = (waiting: Waiting) => {
    const at = queue.indexOf(waiting)
    if (at === -1) return release()
    queue.splice(at, 1)
    advance()
  }

  /** Waits where `restore` lets it be interrupted; a waiter that is interrupted behind its turn gives the lock back. */
  const acquire = (alone: boolean, restore: (wait: Effect.Effect<void>) => Effect.Effect<void>) =>
    Effect.suspend(() => {
      if (queue.length === 0 && free(alone)) {
        take(alone)
        return Effect.void
      }
      const turn = Latch.makeUnsafe(false)
      const waiting = { alone, begin: () => turn.openUnsafe() }
      queue.push(waiting)
      // A chain of turns that end at once must not nest.
      const mine = restore(Effect.andThen(turn.await, Effect.yieldNow))
      return Effect.onInterrupt(mine, () => Effect.sync(() => leave(waiting)))
    })

  const run =
    (alone: boolean) =>
    <A, E>(work: Effect.Effect<A, E>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.andThen(acquire(alone, restore), Effect.ensuring(restore(work), Effect.sync(release))),
      )
  return { shared: run(false), exclusive: run(true) }
}
