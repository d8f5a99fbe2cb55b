/**
 * The features of the server: one line each, in the order of `Wires`. It is also the order of the wrappers around the
 * output of a process: the first one is the innermost.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RequestContext } from "../rpc/Router.ts"
import * as Extension from "../process/Extension.ts"
import type { Extend } from "../process/Lifecycle.ts"
import type { Asked as Options } from "../process/ProcessRegistry.ts"
import { answers } from "./answers/feature.ts"
import { attach } from "./attach/feature.ts"
import { credit } from "./credit/feature.ts"
import { ParamsError } from "../protocol/ParamsError.ts"
import { deadline } from "./deadline/feature.ts"
import { egress } from "./egress/feature.ts"
import type {
  Asked,
  Beginning,
  Connection,
  Failure,
  Feature,
  Handlers,
  Part,
  Server,
  Shared,
  Stateful,
  Target,
} from "./Feature.ts"
import { fs } from "./fs/feature.ts"
import { history } from "./history/feature.ts"
import { http } from "./http/feature.ts"
import { keep } from "./keep/feature.ts"
import { lifetime } from "./lifetime/feature.ts"
import { marks } from "./marks/feature.ts"
import { pid } from "./pid/feature.ts"
import { port } from "./port/feature.ts"
import { receipt } from "./receipt/feature.ts"
import { restart } from "./restart/feature.ts"
import { screen } from "./screen/feature.ts"
import * as Pictures from "./screen/Pictures.ts"
import { secrets } from "./secrets/feature.ts"
import { wait } from "./wait/feature.ts"
import * as Late from "./Late.ts"
import type { Wire } from "./Wire.ts"
import { type capabilities, type requests, type Wires, wires } from "./Wires.ts"

type Announced = { readonly [K in keyof typeof capabilities]: boolean }

type Each<T extends ReadonlyArray<Wire>> = { readonly [I in keyof T]: Feature<T[I]> | Stateful<T[I]> }

const all: Each<Wires> = [
  receipt,
  deadline,
  egress,
  marks,
  answers,
  keep,
  restart,
  credit,
  lifetime,
  pid,
  wait,
  port,
  history,
  screen,
  fs,
  http,
  secrets,
  attach,
]

/** The features in the starts of processes. */
export interface Starts {
  /** The first fault of the params of a start; undefined if there is none. */
  readonly fault: (params: Asked) => Failure | undefined
  /** The options of the processes of a session that these params ask for. */
  readonly options: (params: Asked) => Options
  /** Loads the code that a request with these params needs; undefined if that is there. */
  readonly loading: (method: string, params: unknown) => Effect.Effect<void> | undefined
  /** The part of features in a process; undefined if these params ask for none. */
  readonly extend: (params: Asked) => Extend | undefined
}

export interface Joined extends Starts, Pick<Connection, "at" | "writing" | "gate"> {
  /** The capabilities of all features. */
  readonly announced: Announced
  /** The answer to the `initialize` that has opened or resumed the session is sent. */
  readonly opened: () => void
  /** The connection has left its session. */
  readonly close: () => void
  readonly handlers: Handlers<typeof requests>
}

/** The connection that features join. */
export type Base = Omit<Connection, "at" | "writing" | "gate">

/** Joins features to a connection; what they hold ends with its scope. */
export type Join = (base: Base) => Joined

/** The features of one server. */
export interface Made {
  readonly join: Join
  /** Their part in starts, for a server with these facts. */
  readonly starts: (server: Server) => Starts
  /** Lets them do what comes before the first connection. */
  readonly begin: (beginning: Beginning) => Effect.Effect<void>
}

/** A feature, as the list has it. */
type One = Pick<Feature<Wire>, "code" | "announces" | "fault" | "options" | "extend" | "begin"> & {
  readonly handlers?: ((connection: Connection) => object) | undefined
  readonly part?: ((connection: Connection) => Part & { readonly handlers?: object }) | undefined
}

/** Makes the features of one server; they end with the scope. */
export const make = (
  limits: Shared["limits"],
  egress?: Shared["egress"],
): Effect.Effect<Made, never, Scope.Scope> =>
  Effect.gen(function* () {
    const shared: Shared = { limits, pictures: yield* Pictures.make, egress }
    const making = all.map((one) => (typeof one === "function" ? one(shared) : Effect.succeed(one)))
    const features = yield* Effect.all(making as ReadonlyArray<Effect.Effect<One, never, Scope.Scope>>)
    const loading = loadingOf(features)
    return {
      join: (base) => ({ ...join(features, base), loading }),
      starts: (server) => ({ ...starts(features, server), loading }),
      begin: (beginning) =>
        Effect.forEach(features, ({ begin }) => begin?.(beginning) ?? Effect.void, { discard: true }),
    }
  })

const starts = (features: ReadonlyArray<One>, server: Server): Omit<Starts, "loading"> => ({
  fault: (params) => {
    const found = first(features, ({ fault }) => fault?.(params, server))
    return typeof found === "string" ? new ParamsError({ message: found }) : found
  },
  options: (params) =>
    Object.assign({}, ...features.map(({ options }) => options?.(params, server))) as Options,
  extend: (params) => {
    const asked = features.flatMap(({ extend }) => extend?.(params, server) ?? [])
    return asked.length === 0
      ? undefined
      : (...of) => Extension.compose(asked.flatMap((one) => one(...of) ?? []))
  },
})

/** The handlers of a feature, whose code is perhaps not there before the first request. */
const handlersOf = ({ code, handlers }: One, { requests = {} }: Wire, connection: Connection): object => {
  if (handlers === undefined || code?.loading() === undefined) return handlers?.(connection) ?? {}
  let made: Readonly<Record<string, (params: unknown, context: RequestContext) => unknown>> | undefined
  const handler = (name: string) => (params: unknown, context: RequestContext) => {
    made ??= handlers(connection) as unknown as NonNullable<typeof made>
    return made[name]!(params, context)
  }
  return Object.fromEntries(Object.keys(requests).map((name) => [name, handler(name)]))
}

/** Code belongs to the requests and the fields of starts that the wire of its feature has. */
const loadingOf = (features: ReadonlyArray<One>): Starts["loading"] => {
  const byRequest = new Map<string, Late.Late<unknown>>()
  const byField: Array<readonly [field: string, code: Late.Late<unknown>]> = []
  features.forEach(({ code }, index) => {
    const { requests = {}, startFields = {} }: Wire = wires[index]!
    if (code === undefined) return
    for (const name of Object.keys(requests)) byRequest.set(name, code)
    for (const field of Object.keys(startFields)) byField.push([field, code])
  })
  return (method, params) => {
    if (method !== "process/start") return byRequest.get(method)?.loading()
    const given = params as Readonly<Record<string, unknown>> | null
    const missing = byField.flatMap(([field, code]) =>
      (given?.[field] ?? false) === false ? [] : (code.loading() ?? []),
    )
    return missing.length === 0 ? undefined : Effect.all(missing, { discard: true })
  }
}

/** Loads the code of all features, for tests in virtual time. */
export const loaded: Effect.Effect<void> = Effect.suspend(() =>
  Effect.forEach(Late.all, (code) => code.loading() ?? Effect.void, { discard: true }),
)

const join = (features: ReadonlyArray<One>, base: Base): Omit<Joined, "loading"> => {
  const { server } = base
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
  const parts = features.flatMap(({ part }) => part?.(connection) ?? [])
  const handlers = features.map((feature, index) => handlersOf(feature, wires[index]!, connection))
  return {
    at: connection.at,
    writing: connection.writing,
    gate: connection.gate,
    announced: Object.assign({}, ...features.map(({ announces }) => announces(server))) as Announced,
    ...starts(features, server),
    opened: () => parts.forEach(({ opened }) => opened?.()),
    close: () => parts.forEach(({ close }) => close?.()),
    handlers: Object.assign({}, ...handlers, ...parts.map((part) => part.handlers)) as Joined["handlers"],
  }
}

const at = (parts: ReadonlyArray<Part>, { session }: Base, processId: string): Target =>
  first(parts, ({ view }) => view?.(processId)) ?? { processes: session().processes, id: processId }

/** The first answer of several that is not undefined. */
const first = <P, A>(all: ReadonlyArray<P>, of: (one: P) => A | undefined): A | undefined => {
  for (const one of all) {
    const found = of(one)
    if (found !== undefined) return found
  }
  return undefined
}
