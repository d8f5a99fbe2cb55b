/** The cases of the first wire, v0. */
import type { Case } from "../../Case.ts"
import { exec, exited, terminate, write } from "./exec.ts"
import { initialize, unknown } from "./initialize.ts"
import { output } from "./output.ts"

export const cases: ReadonlyArray<Case> = [
  ...initialize,
  ...unknown,
  ...exec,
  ...output,
  ...write,
  ...terminate,
  ...exited,
]
