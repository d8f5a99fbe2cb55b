/** Node's spawner for the tests of this process: its scope lasts as long as the process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Context from "effect/Context"
import * as Spawner from "../../../core/spawn/Spawner.ts"
import { layerSpawner } from "../NodeSpawner.ts"

export const spawner: Spawner.SpawnerService = Context.get(
  Effect.runSync(Layer.buildWithScope(layerSpawner, Effect.runSync(Scope.make()))),
  Spawner.Spawner,
)
