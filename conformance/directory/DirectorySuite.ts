/** Registers the directory suite with vitest. */
import * as SeamVitest from "../seam/SeamVitest.ts"
import { seam } from "./DirectoryRunner.ts"

/** Registers a test for each case, on directories made by `make`. */
export const suite = SeamVitest.suite(seam)
