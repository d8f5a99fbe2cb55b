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
import { attach } from "./attach/feature.ts"
import { credit } from "./credit/feature.ts"
import { ParamsError } from "../protocol/ParamsError.ts"
import { deadline } from "./deadline/feature.ts"
import type { Asked, Connection, Failure, Feature, Handlers, Part, Server, Target } from "./Feature.ts"
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
  attach,
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

/** The features in one connection. */
export interface Joined extends Pick<Connection, "at" | "writing" | "gate"> {
  /** The answer to the `initialize` that has opened or resumed the session is sent. */
  readonly opened: () => void
  /** The connection has left its session. */
  readonly close: () => void
  /** The handlers of their requests. */
  readonly handlers: Handlers<typeof requests>
}

/** The connection that features join. */
export type Base = Omit<Connection, "at" | "writing" | "gate">

/** Joins features to a connection; what they hold ends with its scope. */
export type Join = (base: Base) => Effect.Effect<Joined, never, Scope.Scope>

type Parts = Effect.Effect<
  (connection: Connection) => Part & { readonly handlers: object },
  never,
  Scope.Scope
>

const none = Effect.succeed(undefined)

/** Joins the features of one server to its connections; what connections share ends with the scope. */
export const joining: Effect.Effect<Join, never, Scope.Scope> = Effect.map(
  Effect.forEach(features, ({ parts }: { readonly parts?: Parts | undefined }) => parts ?? none),
  (makers) => (base) =>
    Effect.gen(function* () {
      const connection: Connection = {
        ...base,
        at: (processId) => at(parts, base, processId),
        writing: (processId, ending) => {
          const target = connection.at(processId)
          const refused = first(parts, ({ refusal }) => refusal?.(processId, target, ending))
          return refused === undefined ? Effect.succeed(target) : Effect.fail(refused)
        },
        gate: (followed, credit) => first(parts, ({ gate }) => gate?.(followed, credit)),
      }
      const parts = makers.flatMap((make) => make?.(connection) ?? [])
      const handlers = yield* Effect.forEach(features, ({ handlers }) => {
        const made = handlers?.(connection) ?? {}
        return Effect.isEffect(made)
          ? (made as Effect.Effect<object, never, Scope.Scope>)
          : Effect.succeed(made)
      })
      return {
        at: connection.at,
        writing: connection.writing,
        gate: connection.gate,
        opened: () => parts.forEach(({ opened }) => opened?.()),
        close: () => parts.forEach(({ close }) => close?.()),
        handlers: Object.assign({}, ...handlers, ...parts.map((part) => part.handlers)) as Joined["handlers"],
      }
    }),
)

const at = (parts: ReadonlyArray<Part>, { session }: Base, processId: string): Target =>
  first(parts, ({ view }) => view?.(processId)) ?? { processes: session().processes, id: processId }

const first = <A>(parts: ReadonlyArray<Part>, of: (part: Part) => A | undefined): A | undefined => {
  for (const part of parts) {
    const found = of(part)
    if (found !== undefined) return found
  }
  return undefined
}
