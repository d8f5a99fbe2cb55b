/** Registers the transport suite with vitest. */
import * as SeamVitest from "../seam/SeamVitest.ts"
import { seam } from "./TransportRunner.ts"

/** Registers a test for each case, on pairs made by `pair`. */
export const suite = SeamVitest.suite(seam)
