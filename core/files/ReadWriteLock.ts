/**
 * ReadWriteLock for the work of one connection: what only looks may run together, what changes something runs alone, and
 * nobody passes who came earlier. So a client that does not wait for its answers finds everything as if it had.
 */
import * as Effect from "effect/Effect"

export interface ReadWriteLock {
  /** Runs together with other shared work. */
  readonly shared: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Runs alone. */
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

  const acquire = (alone: boolean) =>
    Effect.async<void>((resume) => {
      if (queue.length === 0 && free(alone)) {
        take(alone)
        return resume(Effect.void)
      }
      const waiting = { alone, begin: () => resume(Effect.void) }
      queue.push(waiting)
      return Effect.sync(() => {
        const at = queue.indexOf(waiting)
        if (at === -1) return release()
        queue.splice(at, 1)
        advance()
      })
    })

  const release = () => {
    running -= 1
    exclusive = false
    advance()
  }

  const run =
    (alone: boolean) =>
    <A, E>(work: Effect.Effect<A, E>) =>
      Effect.acquireUseRelease(
        Effect.interruptible(acquire(alone)),
        () => work,
        () => Effect.sync(release),
      )
  return { shared: run(false), exclusive: run(true) }
}
