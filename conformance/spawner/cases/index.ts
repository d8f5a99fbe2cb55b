/** Every case about a spawner, in the order in which they are listed. */
import type { Case } from "../SpawnerContext.ts"
import { confinement } from "./confine.ts"
import { errors } from "./errors.ts"
import { events } from "./events.ts"
import { exit } from "./exit.ts"
import { group } from "./group.ts"
import { load } from "./load.ts"
import { output } from "./output.ts"
import { pause } from "./pause.ts"
import { program } from "./program.ts"
import { pty } from "./pty.ts"
import { scope } from "./scope.ts"
import { stdin } from "./stdin.ts"

/** Every case about a spawner. */
export const cases: ReadonlyArray<Case> = [
  ...output,
  ...events,
  ...exit,
  ...program,
  ...stdin,
  ...pty,
  ...pause,
  ...group,
  ...scope,
  ...load,
  ...errors,
  ...confinement,
]
