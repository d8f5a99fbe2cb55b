/** What programs may give as a spawner, and the layer that it becomes. */
import * as Layer from "effect/Layer"
import * as LoadedSpawner from "../../../core/spawn/LoadedSpawner.ts"
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

/** The layer of a spawner, over that of the runtime. A program may have made it with another copy of `effect`. */
export const over = (spawner: SpawnerSource, host: Layer.Layer<Spawner>): Layer.Layer<Spawner> =>
  isPlain(spawner) ? PlainSpawner.toLayer(spawner) : LoadedSpawner.make(Layer.provide(spawner, host))

/** True for a layer of Effect 4, whose effects nothing here can run. */
export const isOfEffect4 = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "~effect/Layer" in value

const isPlain = (spawner: SpawnerSource): spawner is PlainSpawner.PlainSpawner => !Layer.isLayer(spawner)
