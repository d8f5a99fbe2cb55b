/**
 * The features of the server: one line each, in the order of `Wires`. It is also the order of the wrappers around the
 * output of a process: the first one is the innermost.
 */
import * as Extension from "../process/Extension.ts"
import type { Extend } from "../process/Lifecycle.ts"
import type { StartParams } from "../protocol/Process.ts"
import type { Feature } from "./Feature.ts"
import { marks } from "./marks/feature.ts"
import { receipt } from "./receipt/feature.ts"
import type { Wire } from "./Wire.ts"
import type { Wires } from "./Wires.ts"

type Each<T extends ReadonlyArray<Wire>> = { readonly [I in keyof T]: Feature<T[I]> }

const features: Each<Wires> = [receipt, marks]

/** The capabilities of all features. */
export const announced = () => Object.assign({}, ...features.map((feature) => feature.announces()))

/** The part of features in a process; undefined if these params ask for none. */
export const extend = (params: StartParams): Extend | undefined => {
  const asked = features.flatMap((feature) => feature.extend?.(params) ?? [])
  return asked.length === 0
    ? undefined
    : (process, services) => Extension.compose(asked.flatMap((one) => one(process, services) ?? []))
}
