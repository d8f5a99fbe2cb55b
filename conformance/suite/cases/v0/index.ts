/** The cases of the first wire, v0. */
import type { Case } from "../../Case.ts"
import { exec } from "./exec.ts"
import { exited } from "./exited.ts"
import { initialize } from "./initialize.ts"
import { output } from "./output.ts"
import { terminate } from "./terminate.ts"
import { unknown } from "./unknown.ts"
import { write } from "./write.ts"

export const cases: ReadonlyArray<Case> = [
  ...initialize,
  ...unknown,
  ...exec,
  ...output,
  ...write,
  ...terminate,
  ...exited,
]
