/** Registers the spawner suite with vitest. */
import * as SeamVitest from "../seam/SeamVitest.ts"
import { seam } from "./SpawnerRunner.ts"

export type { SuiteOptions } from "../seam/SeamVitest.ts"

/** Registers a test for each case on the spawner, a layer or a plain object. `name` is the name of the group in vitest. */
export const suite = SeamVitest.suite(seam)
