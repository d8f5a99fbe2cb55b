/** Runs the directory suite without a test framework. */
import * as SeamRunner from "../seam/SeamRunner.ts"
import { subject, type DirectoryContext, type Make, type Need } from "./DirectoryContext.ts"
import { cases } from "./cases/index.ts"

export const seam: SeamRunner.Seam<Make, object, Need, DirectoryContext> = { cases, open: subject }

/** Runs the chosen cases on directories made by `make`. Rejects only if a glob matches no case. */
export const run = SeamRunner.runner(seam)
