/** What the runtime that runs this test brings: its spawner, as the program would get it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Spawner from "../../core/spawn/Spawner.ts"

export const name = "Bun" in globalThis ? "Bun" : "Deno" in globalThis ? "Deno" : "Node"

const adapters = {
  Node: () => import("../node/NodeSpawner.ts"),
  Bun: () => import("../bun/BunSpawner.ts"),
  Deno: () => import("../deno/DenoSpawner.ts"),
}

export const { layerSpawner }: { readonly layerSpawner: Layer.Layer<Spawner.Spawner> } =
  await adapters[name]()

/** Its scope lasts as long as the process. */
export const spawner: Spawner.SpawnerService = Context.get(
  Effect.runSync(Layer.buildWithScope(layerSpawner, Effect.runSync(Scope.make()))),
  Spawner.Spawner,
)
