/** The spawner of a server in a run: starts children by their scripts, and knows the truth about each. */
import * as Effect from "effect/Effect"
import { allCapabilities } from "../../core/spawn/Fake.ts"
import { notFound } from "../../core/spawn/SpawnError.ts"
import type { SpawnerService } from "../../core/spawn/Spawner.ts"
import * as Child from "./Child.ts"
import type { ServerPlan } from "./Plan.ts"
import type { Script } from "./Script.ts"
import { Truth } from "./Truth.ts"
import type { World } from "./World.ts"

export interface Started {
  readonly sessionId: string
  readonly truth: Truth
  /** When that was known. */
  readonly at: number
  /** Its name in lists. */
  readonly name: string | undefined
}

/** Every child of a run, by the key that its argv ends with. */
export type Children = ReturnType<typeof make>

export const make = (world: World, scripts: ReadonlyMap<string, Script>) => {
  const truths = new Map<string, Truth>()

  /** The truth about a child, which may not be spawned yet. */
  const truthOf = (key: string): Truth => {
    const known = truths.get(key)
    if (known !== undefined) return known
    const { text, marks = false, historyBytes } = scripts.get(key) ?? {}
    const truth = new Truth(key, text === true ? "text" : "bytes")
    truth.marked = marks
    truth.historyBytes = historyBytes
    truths.set(key, truth)
    return truth
  }

  const spawner = ({
    pauses,
    retentionMillis,
  }: Pick<ServerPlan, "pauses" | "retentionMillis">): SpawnerService => ({
    capabilities: { ...allCapabilities, pause: pauses },
    spawn: (spec, events) =>
      Effect.gen(function* () {
        const key = spec.argv.at(-1) ?? ""
        const script = scripts.get(key)
        if (script === undefined) return yield* Effect.die(new Error(`no script for ${key}`))
        const truth = truthOf(key)
        if (script.spawnMillis > 0) yield* Effect.sleep(script.spawnMillis)
        // A start that has failed may be tried again, if that was not heard.
        if (script.missing) return yield* Effect.fail(notFound())
        truth.spawns += 1
        // guards: reserved-id
        if (truth.spawns > 1) world.violate("a start is carried out once", `${key} is started again`)
        const child = yield* Effect.acquireRelease(
          Effect.sync(() => Child.make(world, truth, script, events, retentionMillis)),
          (child) =>
            Effect.suspend(() => {
              truth.closingAt = world.now
              return Effect.andThen(Effect.sleep(script.releaseMillis), Effect.sync(child.release))
            }),
        )
        return child.handle(pauses)
      }),
  })

  return { truth: truthOf, all: (): ReadonlyArray<Truth> => [...truths.values()], spawner }
}
