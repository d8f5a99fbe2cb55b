/** procwire for programs on Deno; the other runtimes export the same names. */
import * as Program from "../shared/Program.ts"
import { platform } from "./platform.ts"

export type { Target } from "../shared/Program.ts"
export { layerSpawner } from "./DenoSpawner.ts"
export const { connect, open }: Program.Program = Program.make(platform)
