/**
 * The graceful end of a server: no more starts, and time for running children to end by themselves.
 *
 * It wraps a spawner, and a keeper, to know the living children. Children that outlast the grace period are killed.
 * Processes that have left the process group of a child are not known here.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { KeeperService } from "./Keeper.ts"
import { SpawnError } from "./SpawnError.ts"
import type { ChildHandle, SpawnEvents, SpawnerService } from "./Spawner.ts"

/** Milliseconds between two looks whether process groups are gone. */
const lookMillis = 20

/**
 * Looks whether the streams of exited children are at EOF, at most 50 of them, because a process outside of the group
 * may hold one open. Looks are counted, not time: a busy machine reads late, and looks late as well.
 */
export const mostLooks = 50

/** Milliseconds that a server stays after that, so that features tell the rest: 50. */
export const farewellMillis = 50

/** Milliseconds that a server waits at most for the end of the children that it has killed: 5,000. */
export const killedMillis = 5000

/** A spawner that can be drained. */
export interface Drain {
  /** The wrapped spawner, which refuses to start anything once draining has begun. */
  readonly spawner: SpawnerService
  /** @internal Wraps a keeper, so that the children that are taken over from it are drained, too. */
  readonly watch: (keeper: KeeperService) => KeeperService
  /**
   * Sends SIGTERM to the process group of every child, waits for at most `graceMillis` until all groups are gone,
   * kills the rest, and waits for their end and that of their output: an exit is reported behind it. With 0 it only
   * refuses further starts: children are killed when their scopes close.
   */
  readonly drain: (graceMillis: number) => Effect.Effect<void>
}

interface Child {
  readonly handle: ChildHandle
  readonly exited: () => boolean
  /** True once every stream is at EOF. */
  readonly read: () => boolean
}

/** Wraps a spawner. */
export const make = (spawner: SpawnerService): Drain => {
  const children = new Set<Child>()
  let draining = false

  const spawn: SpawnerService["spawn"] = (spec, events) =>
    Effect.suspend(() =>
      draining
        ? Effect.fail(new SpawnError({ reason: "ShuttingDown", message: refusal }))
        : watched(spec.stdio.kind === "pty", events, (watching) => spawner.spawn(spec, watching)),
    )

  const watch: Drain["watch"] = (keeper) => ({
    ...keeper,
    left: Effect.map(keeper.left, (all) =>
      all.map((left) => ({
        ...left,
        adopt: (events, skip) =>
          watched(left.size !== undefined, events, (watching) => left.adopt(watching, skip)),
      })),
    ),
  })

  const watched = <E, R>(
    pty: boolean,
    events: SpawnEvents,
    start: (watching: SpawnEvents) => Effect.Effect<ChildHandle, E, R>,
  ) =>
    Effect.suspend(() => {
      let exited = false
      let open = pty ? 1 : 2
      const end: typeof events.end = (stream) => {
        open -= 1
        events.end(stream)
      }
      const exit: typeof events.exit = (status, ending) => {
        exited = true
        events.exit(status, draining ? { ...ending, endedBy: "serverEnd" } : ending)
      }
      return Effect.flatMap(start({ ...events, end, exit }), (handle) => {
        const child: Child = { handle, exited: () => exited, read: () => open === 0 }
        const leave = Effect.sync(() => children.delete(child))
        return Effect.flatMap(
          Effect.flatMap(Effect.scope, (scope) => Scope.addFinalizer(scope, leave)),
          () => {
            children.add(child)
            return draining ? Effect.as(terminate(child), handle) : Effect.succeed(handle)
          },
        )
      })
    })

  const each = (use: (child: Child) => Effect.Effect<void>) =>
    Effect.suspend(() => Effect.forEach([...children], use, { discard: true }))

  const allGone = Effect.gen(function* () {
    for (const child of children)
      // A child whose scope has closed meanwhile was killed, and reports nothing more.
      while (children.has(child) && (yield* isThere(child))) yield* Effect.sleep(lookMillis)
  })

  /** Their exits are reported now, or are soon. */
  const allRead = Effect.gen(function* () {
    const unread = () => [...children].some(({ exited, read }) => exited() && !read())
    for (let look = 0; look < mostLooks && unread(); look++) yield* Effect.sleep(lookMillis)
  })

  const drain = (graceMillis: number) =>
    Effect.gen(function* () {
      draining = true
      if (graceMillis === 0 || children.size === 0) return
      yield* each(terminate)
      yield* Effect.timeoutOption(allGone, graceMillis)
      yield* each(({ handle }) => handle.kill)
      yield* Effect.timeoutOption(allGone, killedMillis)
      yield* allRead
      yield* Effect.sleep(farewellMillis)
    })

  return { spawner: { ...spawner, spawn }, watch, drain }
}

const refusal = "the server is shutting down and starts no more processes"

/** SIGCONT follows because a stopped process handles SIGTERM only when it continues. */
const terminate = ({ handle }: Child) =>
  Effect.ignore(Effect.andThen(handle.signal("SIGTERM"), handle.signal("SIGCONT")))

const isThere = ({ handle, exited }: Child): Effect.Effect<boolean> =>
  Effect.suspend(() => (exited() ? handle.lingering : Effect.succeed(true)))
