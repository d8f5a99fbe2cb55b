/** What programs may give as a spawner, and the layer that it becomes. */
import * as Layer from "effect/Layer"
import * as PlainSpawner from "../../../core/spawn/PlainSpawner.ts"
import type { Spawner } from "../../../core/spawn/Spawner.ts"

/**
 * A layer of `Spawner`, which may use the spawner of the runtime, as `layerWrap` of `procwire/sandbox` does; or an
 * object in plain JavaScript, as `defineSpawner` of `procwire/sandbox` takes it.
 */
export type SpawnerSource = Layer.Layer<Spawner, never, Spawner> | PlainSpawner.PlainSpawner

/** The same, or the names of spawners, as those of `--spawner`: `"nice:5"`, or several, the first one outermost. */
export type SpawnerChoice = SpawnerSource | string | ReadonlyArray<string>

/** True for names. Whether such spawners exist is found out when they are used. */
export const isNames = (value: unknown): value is string | ReadonlyArray<string> =>
  [value].flat().every((name) => typeof name === "string" && name !== "")

/** True for what `toLayer` takes. */
export const isSpawner = (value: unknown): value is SpawnerSource =>
  Layer.isLayer(value) || PlainSpawner.fault(value) === undefined

/** The layer of a spawner, over that of the runtime. */
export const toLayer = (spawner: SpawnerSource): Layer.Layer<Spawner, never, Spawner> =>
  isPlain(spawner) ? PlainSpawner.toLayer(spawner) : spawner

const isPlain = (spawner: SpawnerSource): spawner is PlainSpawner.PlainSpawner => !Layer.isLayer(spawner)
