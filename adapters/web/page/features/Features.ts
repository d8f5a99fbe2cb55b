/** The features of servers that the page knows, in the order of their buttons and facts. */
import type { Feature } from "./Feature.ts"
import { history } from "./History.ts"
import { receipt } from "./Receipt.ts"
import { restart } from "./Restart.ts"

export const features: ReadonlyArray<Feature> = [restart, receipt, history]
