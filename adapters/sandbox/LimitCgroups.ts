/**
 * Cgroups that bound the memory and the number of the processes of each child. A child enters by itself, before it
 * executes its program.
 *
 * In version 2 it thereby leaves the cgroup in which the server contains it, so what is inside is killed at its end
 * here, too, and by a reaper if the server is killed.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as SpawnError from "../../core/spawn/SpawnError.ts"
import { node as files } from "../shared/host/KernelFiles.ts"
import * as GroupReaper from "../shared/process/GroupReaper.ts"
import * as CgroupPlaces from "./CgroupPlaces.ts"
import type { Controller } from "./CgroupPlaces.ts"

/** The bounds, by the controller. */
export type Bounds = { readonly [controller in Controller]?: number }

/** The cgroups of one child. */
export interface Entry {
  /** A process enters by writing its pid to each of these. */
  readonly doors: ReadonlyArray<string>
  /** True if the kernel has killed for memory, or refused to start a process. */
  readonly reached: (controller: Controller) => boolean
}

/** Makes the cgroups of a child. They are removed with its scope. */
export type Enter = Effect.Effect<Entry, SpawnError.SpawnError, Scope.Scope>

/** The file of the bound, that of its events, and the event that says that it was reached. */
const names = {
  1: {
    memory: ["memory.limit_in_bytes", "memory.oom_control", /^oom_kill [1-9]/m],
    pids: ["pids.max", "pids.events", /^max [1-9]/m],
  },
  2: {
    memory: ["memory.max", "memory.events", /^oom_kill [1-9]/m],
    pids: ["pids.max", "pids.events", /^max [1-9]/m],
  },
} as const

/** The cgroups for these bounds; undefined where this server may not make them. They are removed with the scope. */
export const make = (bounds: Bounds): Effect.Effect<Enter | undefined, never, Scope.Scope> =>
  Effect.gen(function* () {
    const wanted = Object.keys(bounds) as ReadonlyArray<Controller>
    const places = yield* Effect.option(Effect.try(() => CgroupPlaces.make(wanted, files)))
    if (places._tag === "None" || wanted.length === 0) return undefined
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => places.value.forEach(({ folder }) => CgroupPlaces.removeAll(folder, files))),
    )
    const reapers = yield* Effect.forEach(
      places.value.filter(({ version }) => version === 2),
      ({ folder }) => GroupReaper.makeForCgroups(`${folder}/child-`),
    )
    let count = 0
    return Effect.gen(function* () {
      for (const starting of reapers) starting()
      count += 1
      const own = places.value.map((place) => ({ ...place, path: `${place.folder}/child-${count}` }))
      for (const { controllers, path, version } of own)
        yield* Effect.acquireRelease(
          Effect.mapError(
            Effect.try(() => fill(path, version, controllers, bounds)),
            unlimited,
          ),
          () => end(path),
        )
      return {
        doors: own.map(({ path }) => `${path}/cgroup.procs`),
        reached: (controller) =>
          own.some(({ controllers, path, version }) => {
            const [, events, event] = names[version][controller]
            return controllers.includes(controller) && event.test(files.read(`${path}/${events}`))
          }),
      }
    })
  })

const fill = (path: string, version: 1 | 2, controllers: ReadonlyArray<Controller>, bounds: Bounds) => {
  files.makeFolder(path)
  for (const controller of controllers)
    files.write(`${path}/${names[version][controller][0]}`, String(bounds[controller]))
}

const unlimited = (cause: unknown) =>
  new SpawnError.SpawnError({
    reason: "Unknown",
    message: `no cgroup for its limits: ${String(cause)}`,
    cause,
  })

/** Processes that were killed take a while to go. */
const end = (path: string) =>
  Effect.ignore(Effect.try(() => files.write(`${path}/cgroup.kill`, "1"))).pipe(
    Effect.map(() => CgroupPlaces.remove(path, files)),
    Effect.repeat({ until: (gone) => gone, schedule: Schedule.spaced("20 millis"), times: 100 }),
    Effect.asVoid,
  )
