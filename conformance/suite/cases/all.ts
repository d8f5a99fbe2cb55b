/** Every case of every wire. */
import type { Case } from "../Case.ts"
import { cases } from "./index.ts"
import { cases as v0 } from "./v0/index.ts"

export const all: ReadonlyArray<Case> = [...cases, ...v0]
