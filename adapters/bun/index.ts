/** procwire for programs on Bun; the other runtimes export the same names. */
import * as Program from "../shared/Program.ts"
import { platform } from "./platform.ts"

export type { Target } from "../shared/Program.ts"
export { layerSpawner } from "./BunSpawner.ts"
export const { connect, open }: Program.Program = Program.make(platform)
