/** The door for spawners in plain JavaScript: their type, and the layer that a program serves them with. */
import * as PlainSpawner from "../../core/spawn/PlainSpawner.ts"

/** Gives a plain spawner its types: `export const spawner = defineSpawner({ name, capabilities, spawn })`. */
export const defineSpawner = <const S extends PlainSpawner.PlainSpawner>(spawner: S): S => spawner

/** The layer of a plain spawner, for programs that compose layers. */
export const layerPlain: typeof PlainSpawner.toLayer = PlainSpawner.toLayer
