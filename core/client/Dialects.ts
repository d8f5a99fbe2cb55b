/** Makes a client that speaks a given dialect, as effects (`make`) or as promises (`connect`). */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Transport } from "../transport/Transport.ts"
import * as Activity from "./Activity.ts"
import { atBoundary } from "./CallSite.ts"
import * as Client from "./Client.ts"
import type { ClientError } from "./ClientError.ts"
import * as ExecClient from "./ExecClient.ts"
import * as OptionNames from "./OptionNames.ts"
import { promise } from "./Promises.ts"
import type { Open } from "./Reconnect.ts"
import * as V0Client from "./v0/V0Client.ts"
import * as V0ExecClient from "./v0/V0ExecClient.ts"

/** For servers of today. */
export interface CurrentOptions extends Omit<ExecClient.Options, "activity"> {
  /** Default: `current`. */
  readonly dialect?: "current"
}

/** For servers that speak the first wire, v0. */
export interface V0Options extends Omit<V0ExecClient.Options, "activity"> {
  /** Selects the first wire. */
  readonly dialect: "v0"
}

const shared = { dialect: true, clientName: true, initializeTimeout: true } as const

const names = {
  current: {
    ...shared,
    resumeSessionId: true,
    takeover: true,
    heartbeat: true,
    reconnect: true,
    onStatus: true,
    onSessionLost: true,
  } satisfies OptionNames.Names<CurrentOptions>,
  v0: shared satisfies OptionNames.Names<V0Options>,
}

/**
 * Why these cannot be the options of `connect`; undefined where they can.
 * @internal
 */
export const refusal = (options: CurrentOptions | V0Options | null | undefined): ClientError | undefined => {
  const { dialect = "current" } = options ?? {}
  return Object.hasOwn(makers, dialect)
    ? OptionNames.refusal("connect", names[dialect], options)
    : OptionNames.invalid(
        `there is no dialect '${String(dialect)}': expected ${Object.keys(makers).join(" or ")}`,
      )
}

/** Makes the client of a dialect, and turns it into promises. */
interface Maker<Options, Effectful, Promised> {
  readonly make: (
    source: Transport | Open,
    options: Options,
  ) => Effect.Effect<Effectful, ClientError, Scope.Scope>
  readonly fromEffect: (client: Effectful, close: Effect.Effect<void>) => Promised
}

const makers = {
  current: { make: ExecClient.make, fromEffect: Client.fromEffect },
  v0: { make: V0ExecClient.make, fromEffect: V0Client.fromEffect },
}

const makerOf = (dialect: keyof typeof makers = "current") =>
  // The overloads of `make` and `connect` match options to dialects.
  makers[dialect] as Maker<unknown, unknown, unknown>

/** A client over one transport, or over those that an effect opens. */
export const make: {
  (
    source: Transport | Open,
    options: V0Options,
  ): Effect.Effect<V0ExecClient.V0ExecClient, ClientError, Scope.Scope>
  (
    source: Transport | Open,
    options?: CurrentOptions,
  ): Effect.Effect<ExecClient.ExecClient, ClientError, Scope.Scope>
} = (source: Transport | Open, { dialect, ...options }: CurrentOptions | V0Options = {}) =>
  makerOf(dialect).make(source, options) as never

/** Connects, and resolves with the client as promises. Rejects with `ClientError`. */
export const connect: {
  (open: Open, options: V0Options): Promise<V0Client.V0Client>
  (open: Open, options?: CurrentOptions): Promise<Client.Client>
} = atBoundary((open: Open, options?: CurrentOptions | V0Options) =>
  promise(
    Effect.suspend(() => {
      const refused = refusal(options)
      return refused === undefined ? acquire(open, options) : Effect.fail(refused)
    }),
  ),
) as never

/**
 * What `connect` does, as an effect; `busy` is told when the client becomes busy or idle, see `Activity`.
 * @internal
 */
export const acquire = (
  open: Open,
  { dialect, ...options }: CurrentOptions | V0Options = {},
  busy?: (busy: boolean) => void,
): Effect.Effect<unknown, ClientError> =>
  Effect.gen(function* () {
    const activity = Activity.make(busy)
    const { make, fromEffect } = makerOf(dialect)
    const scope = yield* Scope.make()
    const close = activity.during(Scope.close(scope, Exit.void))
    const client = yield* make(open, { ...options, activity }).pipe(
      Scope.extend(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
    )
    return fromEffect(client, close)
  })
