/** Registers the spawner suite with vitest. */
import { cases } from "./cases/index.ts"
import { register, type SuiteOptions } from "../seam/SeamVitest.ts"
import { open, type SpawnerSource } from "./SpawnerRunner.ts"

export type { SuiteOptions } from "../seam/SeamVitest.ts"

/** Registers a test for each case on the spawner, a layer or a plain object. `name` is the name of the group in vitest. */
export const suite = (name: string, source: SpawnerSource, options: SuiteOptions = {}): void =>
  register(name, cases, () => open(source), options)
