/**
 * Cgroups that bound the memory and the number of the processes of each child. A child enters by itself, before it
 * executes its program.
 *
 * In version 2 it thereby leaves the cgroup in which the server contains it, so what is inside is killed at its end
 * here, too, and by a reaper if the server is killed.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as SpawnError from "../../core/spawn/SpawnError.ts"
import { node as files } from "../shared/host/KernelFiles.ts"
import * as GroupReaper from "../shared/process/GroupReaper.ts"
import * as ProcessTable from "../shared/process/ProcessTable.ts"

type Controller = "memory" | "pids"

/** A folder of cgroups that have these controllers. */
interface Place {
  readonly version: 1 | 2
  readonly folder: string
  readonly controllers: ReadonlyArray<Controller>
}

export type Bounds = { readonly [controller in Controller]?: number }

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
    const places = yield* Effect.option(Effect.try(() => makePlaces(wanted)))
    if (places._tag === "None" || wanted.length === 0) return undefined
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => places.value.forEach(({ folder }) => removeAll(folder))),
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
    Effect.map(() => remove(path)),
    Effect.repeat({ until: (gone) => gone, schedule: Schedule.spaced("20 millis"), times: 100 }),
    Effect.asVoid,
  )

/** Makes a folder for each hierarchy that has one of the controllers. Throws where that is impossible. */
const makePlaces = (controllers: ReadonlyArray<Controller>): ReadonlyArray<Place> => {
  const parents = new Map<string, { readonly version: 1 | 2; readonly controllers: Array<Controller> }>()
  for (const controller of controllers) {
    const { parent, version } = parentOf(controller)
    const known = parents.get(parent) ?? { version, controllers: [] }
    known.controllers.push(controller)
    parents.set(parent, known)
  }
  return [...parents].map(([parent, { version, controllers }]) => {
    const enable = controllers.map((controller) => `+${controller}`).join(" ")
    if (version === 2) files.write(`${parent}/cgroup.subtree_control`, enable)
    const folder = makeFolder(parent)
    if (version === 2) files.write(`${folder}/cgroup.subtree_control`, enable)
    return { version, folder, controllers }
  })
}

/** The cgroup of this server that has the controller. In version 2 a server may be in one that it has made itself. */
const parentOf = (controller: Controller) => {
  const own = files.read("/proc/self/cgroup").split("\n")
  const first = own.find((line) => line.split(":")[1]?.split(",").includes(controller))
  const version = first === undefined ? 2 : 1
  const path = (first ?? own.find((line) => line.startsWith("0::")) ?? "").replace(/^[^:]*:[^:]*:/, "")
  for (const line of files.read("/proc/self/mountinfo").split("\n")) {
    const [, root = "", point = "", type, options = ""] =
      /^\S+ \S+ \S+ (\S+) (\S+) .* - (cgroup2?) \S+ (\S+)/.exec(line) ?? []
    const has =
      version === 2 ? type === "cgroup2" : type === "cgroup" && options.split(",").includes(controller)
    if (!has || !path.startsWith(root)) continue
    const folder = point + path.slice(root === "/" ? 0 : root.length).replace(/\/(procwire-[^/]*)?$/, "")
    if (version === 1 || files.read(`${folder}/cgroup.controllers`).split(/\s/).includes(controller))
      return { parent: folder, version } as const
  }
  throw new Error(`no cgroup with the controller ${controller}`)
}

/** A folder whose name says which process it is of. Those of processes that are gone are removed. */
const makeFolder = (parent: string): string => {
  const table = ProcessTable.make(files)
  const space = files.readLink("/proc/self/ns/pid").replaceAll(/\D/g, "")
  const names = files.list(parent)
  for (const name of names) {
    const [, where, pid, start] = /^procwire-limits-(\d+)-(\d+)-(\d+)-\d+$/.exec(name) ?? []
    if (where === space && table.find(Number(pid))?.start !== Number(start)) removeAll(`${parent}/${name}`)
  }
  const name = `procwire-limits-${space}-${process.pid}-${table.find(process.pid)?.start}`
  let count = 1
  while (names.includes(`${name}-${count}`)) count += 1
  files.makeFolder(`${parent}/${name}-${count}`)
  return `${parent}/${name}-${count}`
}

/** Removes a folder and the cgroups in it, unless somebody is inside. */
const removeAll = (folder: string): void => {
  for (const name of files.list(folder)) if (name.startsWith("child-")) remove(`${folder}/${name}`)
  remove(folder)
}

/** True if the cgroup is gone. */
const remove = (path: string): boolean => {
  try {
    files.removeFolder(path)
    return true
  } catch {
    return files.list(path).length === 0
  }
}
