/**
 * The end of a server that does not come at once: no more starts, and time for what runs to end by itself.
 *
 * A spawner around another one, which knows the children that live. Who is still there when the time is over is
 * killed; whoever left the group of a child is not known here.
 */
import * as Effect from "effect/Effect"
import { SpawnError } from "./SpawnError.ts"
import type { ChildHandle, SpawnerService } from "./Spawner.ts"

/** How often it is looked whether groups are gone. */
const lookMillis = 20

/** How long a server stays after the last child has ended, so that clients hear of it. */
export const farewellMillis = 50

export interface Drain {
  /** Starts what the other spawner starts, until the end has begun. */
  readonly spawner: SpawnerService
  /**
   * Begins the end: sends SIGTERM to the group of every child, waits for at most so long until all groups are gone, and
   * kills the rest. Without any time it leaves the children to whoever closes their scopes.
   */
  readonly drain: (graceMillis: number) => Effect.Effect<void>
}

interface Child {
  readonly handle: ChildHandle
  readonly exited: () => boolean
}

export const make = (spawner: SpawnerService): Drain => {
  const children = new Set<Child>()
  let draining = false

  const spawn: SpawnerService["spawn"] = (spec, events) =>
    Effect.gen(function* () {
      if (draining) return yield* Effect.fail(new SpawnError({ reason: "ShuttingDown", message: refusal }))
      let exited = false
      const handle = yield* spawner.spawn(spec, {
        ...events,
        exit: (status) => {
          exited = true
          events.exit(status)
        },
      })
      const child: Child = { handle, exited: () => exited }
      yield* Effect.acquireRelease(
        Effect.sync(() => children.add(child)),
        () => Effect.sync(() => children.delete(child)),
      )
      if (draining) yield* terminate(child)
      return handle
    })

  const each = (use: (child: Child) => Effect.Effect<void>) =>
    Effect.suspend(() => Effect.forEach([...children], use, { discard: true }))

  const allGone = Effect.gen(function* () {
    for (const child of children) while (yield* isThere(child)) yield* Effect.sleep(lookMillis)
  })

  const drain = (graceMillis: number) =>
    Effect.gen(function* () {
      draining = true
      if (graceMillis === 0 || children.size === 0) return
      yield* each(terminate)
      yield* Effect.timeoutOption(allGone, graceMillis)
      yield* each(({ handle }) => handle.kill)
      yield* Effect.sleep(farewellMillis)
    })

  return { spawner: { ...spawner, spawn }, drain }
}

const refusal = "the server is shutting down and starts no more processes"

/** SIGCONT, because a stopped process hears of SIGTERM only when it goes on. */
const terminate = ({ handle }: Child) =>
  Effect.ignore(Effect.zipRight(handle.signal("SIGTERM"), handle.signal("SIGCONT")))

const isThere = ({ handle, exited }: Child): Effect.Effect<boolean> =>
  Effect.suspend(() => (exited() ? handle.lingering : Effect.succeed(true)))
