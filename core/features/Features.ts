/**
 * The features of the server: one line each, in the order of `Wires`. It is also the order of the wrappers around the
 * output of a process: the first one is the innermost.
 */
import * as Extension from "../process/Extension.ts"
import type { Extend } from "../process/Lifecycle.ts"
import type { HostInfo } from "../spawn/Host.ts"
import { deadline } from "./deadline/feature.ts"
import type { Asked, Connection, Feature, Handlers } from "./Feature.ts"
import { marks } from "./marks/feature.ts"
import { receipt } from "./receipt/feature.ts"
import { restart } from "./restart/feature.ts"
import type { Wire } from "./Wire.ts"
import type { capabilities, requests, Wires } from "./Wires.ts"

type Announced = { readonly [K in keyof typeof capabilities]: boolean }

type Each<T extends ReadonlyArray<Wire>> = { readonly [I in keyof T]: Feature<T[I]> }

const features: Each<Wires> = [receipt, deadline, marks, restart]

/** The capabilities of all features. */
export const announced = (host: HostInfo) =>
  Object.assign({}, ...features.map(({ announces }) => announces(host))) as Announced

/** The first fault of the params of a start; undefined if there is none. */
export const fault = (params: Asked): string | undefined => {
  for (const { fault } of features) {
    const found = fault?.(params)
    if (found !== undefined) return found
  }
  return undefined
}

/** The part of features in a process; undefined if these params ask for none. */
export const extend = (params: Asked, host: HostInfo): Extend | undefined => {
  const asked = features.flatMap((feature) => feature.extend?.(params, host) ?? [])
  return asked.length === 0
    ? undefined
    : (process, services) => Extension.compose(asked.flatMap((one) => one(process, services) ?? []))
}

/** The handlers of the requests of all features, for one connection. */
export const handlers = (connection: Connection) =>
  Object.assign({}, ...features.map(({ handlers }) => handlers?.(connection))) as Handlers<typeof requests>
