/** The option `spawner`: what starts the processes of a server, instead of this machine alone. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Spawner } from "../../../core/spawn/Spawner.ts"
import type { SpawnerProblem } from "../../sandbox/SpawnerProblem.ts"
import type { Platform } from "../Platform.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"

/**
 * The platform whose processes the named spawners start; they live as long as the scope. The code of the spawners is
 * loaded by the first that is named. Errors begin with `label`.
 */
export const apply = (
  platform: Platform,
  given: string | ReadonlyArray<string> | undefined,
  label: string,
): Effect.Effect<Platform, ServeError, Scope.Scope> => {
  const texts = typeof given === "string" ? [given] : (given ?? [])
  if (texts.length === 0) return Effect.succeed(platform)
  return Effect.gen(function* () {
    const NamedSpawners = yield* Effect.promise(() => import("../../sandbox/NamedSpawners.ts"))
    const { around, elsewhere } = yield* NamedSpawners.read(texts)
    // What starts processes elsewhere has helpers here that end by themselves, and that nothing here may kill before.
    const host = elsewhere ? Layer.orDie(platform.toSpawner()) : platform.layerSpawner
    const built = yield* Layer.build(around(host))
    return { ...platform, layerSpawner: Layer.succeed(Spawner, Context.get(built, Spawner)), elsewhere }
  }).pipe(
    Effect.mapError(({ message, reason }: SpawnerProblem) => {
      const text = `${label} ${message}`
      const wrongUse = reason === "UnknownName" || reason === "InvalidOption" || reason === "Order"
      return wrongUse ? invalid(text) : misconfigured(text)
    }),
  )
}
