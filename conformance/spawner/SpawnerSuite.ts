/** Registers the spawner suite with vitest. */
import { cases } from "./cases/index.ts"
import { register, type SuiteOptions } from "../seam/SeamVitest.ts"
import { open, type SpawnerLayer } from "./SpawnerRunner.ts"

export type { SuiteOptions } from "../seam/SeamVitest.ts"

/** Registers a test for each case on the spawner of the layer. `name` is the name of the group in vitest. */
export const suite = (name: string, layer: SpawnerLayer, options: SuiteOptions = {}): void =>
  register(name, cases, () => open(layer), options)
