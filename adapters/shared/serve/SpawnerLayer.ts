/** What programs may give as a spawner, and the layer that it becomes. */
import * as Layer from "effect/Layer"
import type { Spawner } from "../../../core/spawn/Spawner.ts"

/** A layer of `Spawner`; it may use the spawner of the runtime, as `layerWrap` of `procwire/sandbox` does. */
export type SpawnerSource = Layer.Layer<Spawner, never, Spawner>

/** True for what `toLayer` takes. */
export const isSpawner = (value: unknown): value is SpawnerSource => Layer.isLayer(value)

/** The layer of a spawner, over that of the runtime. */
export const toLayer = (spawner: SpawnerSource): Layer.Layer<Spawner, never, Spawner> => spawner
