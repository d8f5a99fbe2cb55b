/**
 * The features of the server: one line each, in the order of `Wires`. It is also the order of the wrappers around the
 * output of a process: the first one is the innermost.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Extension from "../process/Extension.ts"
import type { Extend } from "../process/Lifecycle.ts"
import type { Asked as Options } from "../process/ProcessRegistry.ts"
import { answers } from "./answers/feature.ts"
import { credit } from "./credit/feature.ts"
import { ParamsError } from "../protocol/ParamsError.ts"
import { deadline } from "./deadline/feature.ts"
import type { Asked, Connection, Failure, Feature, Handlers, Server } from "./Feature.ts"
import { fs } from "./fs/feature.ts"
import { history } from "./history/feature.ts"
import { http } from "./http/feature.ts"
import { lifetime } from "./lifetime/feature.ts"
import { marks } from "./marks/feature.ts"
import { pid } from "./pid/feature.ts"
import { receipt } from "./receipt/feature.ts"
import { restart } from "./restart/feature.ts"
import { screen } from "./screen/feature.ts"
import { wait } from "./wait/feature.ts"
import type { Wire } from "./Wire.ts"
import type { capabilities, requests, Wires } from "./Wires.ts"

type Announced = { readonly [K in keyof typeof capabilities]: boolean }

type Each<T extends ReadonlyArray<Wire>> = { readonly [I in keyof T]: Feature<T[I]> }

const features: Each<Wires> = [
  receipt,
  deadline,
  marks,
  answers,
  restart,
  credit,
  lifetime,
  pid,
  wait,
  history,
  screen,
  fs,
  http,
]

/** The capabilities of all features. */
export const announced = (server: Server) =>
  Object.assign({}, ...features.map(({ announces }) => announces(server))) as Announced

/** The first fault of the params of a start; undefined if there is none. */
export const fault = (params: Asked, server: Server): Failure | undefined => {
  for (const { fault } of features) {
    const found = fault?.(params, server)
    if (found !== undefined) return typeof found === "string" ? new ParamsError({ message: found }) : found
  }
  return undefined
}

/** The options of the processes of a session that these params ask for. */
export const options = (params: Asked, server: Server): Options =>
  Object.assign({}, ...features.map(({ options }) => options?.(params, server))) as Options

/** The part of features in a process; undefined if these params ask for none. */
export const extend = (params: Asked, server: Server): Extend | undefined => {
  const asked = features.flatMap((feature) => feature.extend?.(params, server) ?? [])
  return asked.length === 0
    ? undefined
    : (process, services) => Extension.compose(asked.flatMap((one) => one(process, services) ?? []))
}

/** The handlers of the requests of all features, for one connection; what they hold ends with the scope. */
export const handlers = (
  connection: Connection,
): Effect.Effect<Handlers<typeof requests>, never, Scope.Scope> =>
  Effect.map(
    Effect.forEach(features, ({ handlers }) => {
      const made = handlers?.(connection) ?? {}
      return Effect.isEffect(made)
        ? (made as Effect.Effect<object, never, Scope.Scope>)
        : Effect.succeed(made)
    }),
    (all) => Object.assign({}, ...all) as Handlers<typeof requests>,
  )
