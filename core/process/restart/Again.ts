/** Starts a process of a registry again, whether it runs or has ended. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { SpawnSpec } from "../../spawn/Spawner.ts"
import type { Grace } from "../Grace.ts"
import type { Kept } from "../Kept.ts"
import type { AroundSpawn } from "../Lifecycle.ts"
import type { Process } from "../Process.ts"
import { ProcessError, type StartError } from "../ProcessError.ts"
import type { Entry, ProcessTable } from "../ProcessTable.ts"
import type { Asked } from "../Reserving.ts"

/** What a process was started with. */
export interface Started {
  readonly spec: SpawnSpec
  readonly asked: Asked
}

type Start = (id: string, spec: SpawnSpec, asked: Asked) => Effect.Effect<Process, StartError>

/**
 * `start` is that of the registry, and `started` has what it was called with, for processes that can be restarted;
 * `around` stands around the spawn of a process that has ended.
 */
export const restarting =
  (table: ProcessTable, kept: Kept, started: WeakMap<Process, Started>, start: Start) =>
  (
    id: string,
    grace: Partial<Grace>,
    around: (spec: SpawnSpec) => AroundSpawn | undefined,
  ): Effect.Effect<void, StartError> =>
    table.use(id, (process) => {
      const failed = (reason: ProcessError["reason"]) => new ProcessError({ reason, processId: id })
      const entry = table.get(id)
      if (process === undefined || entry === undefined) return Effect.fail(failed("Unknown"))
      const { restarts } = entry
      const again = started.get(process)
      if (restarts === undefined || again === undefined) return Effect.fail(failed("NotRestarted"))
      if (process.closed !== undefined) return replace(table, kept, start, entry, again, around)
      if (!process.running || restarts.isFinal) return Effect.fail(failed("Ending"))
      return Effect.filterOrFail(
        restarts.restart({ ...process.grace, ...grace }),
        (done) => done,
        () => failed("Ending"),
      )
    })

/** Its session stays while one process that is kept takes the place of another. */
const replace = (
  table: ProcessTable,
  kept: Kept,
  start: Start,
  entry: Entry,
  { spec, asked }: Started,
  around: (spec: SpawnSpec) => AroundSpawn | undefined,
): Effect.Effect<void, StartError> =>
  Effect.suspend(() => {
    const place = entry.removed === undefined ? undefined : kept.take()
    if (place !== undefined && Either.isLeft(place)) return Effect.fail(place.left)
    table.remove(entry)
    const starting = start(entry.process.id, spec, { ...asked, around: around(spec) })
    return Effect.ensuring(
      // Nobody has attached to it yet.
      Effect.map(starting, (process) => process.release()),
      Effect.sync(() => place?.right()),
    )
  })
