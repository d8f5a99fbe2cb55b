/** Makes `connect` from the dialects that a door has: the code of another one is not loaded. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Transport } from "../transport/Transport.ts"
import * as Activity from "./Activity.ts"
import { atBoundary } from "./CallSite.ts"
import * as Client from "./Client.ts"
import type { ClientError } from "./ClientError.ts"
import * as ExecClient from "./ExecClient.ts"
import * as OptionNames from "./OptionNames.ts"
import { promise, scoped } from "./Promises.ts"
import type { Open } from "./Reconnect.ts"

/** For servers of today. */
export interface CurrentOptions extends Omit<ExecClient.Options, "activity"> {
  /** Default: `current`. */
  readonly dialect?: "current"
}

/**
 * Makes the client of a dialect, and turns it into promises.
 * @internal
 */
export interface Maker<Options, Effectful, Promised> {
  /** The options that it takes. */
  readonly names: OptionNames.Names<Options>
  readonly make: (
    source: Transport | Open,
    options: Options,
  ) => Effect.Effect<Effectful, ClientError, Scope.Scope>
  readonly fromEffect: (client: Effectful, close: Effect.Effect<void>) => Promised
}

/**
 * The options that every dialect has.
 * @internal
 */
export const shared = { dialect: true, clientName: true, initializeTimeout: true } as const

/** @internal */
export const current = {
  names: {
    ...shared,
    resumeSessionId: true,
    takeover: true,
    heartbeat: true,
    reconnect: true,
    onStatus: true,
    onPolicyRequest: true,
    onSessionLost: true,
  } satisfies OptionNames.Names<CurrentOptions>,
  make: ExecClient.make,
  fromEffect: Client.fromEffect,
}

/** Options with the name of a dialect. */
interface Named {
  readonly dialect?: string
}

/**
 * Connects for a door, by the names of its dialects; without a name it is `current`.
 * @internal
 */
export const make = (makers: Readonly<Record<string, unknown>>) => {
  const makerOf = (dialect = "current") => makers[dialect] as Maker<unknown, unknown, unknown>

  /** Why these cannot be the options of `connect`; undefined where they can. */
  const refusal = (options: Named | null | undefined): ClientError | undefined => {
    const { dialect = "current" } = options ?? {}
    return Object.hasOwn(makers, dialect)
      ? OptionNames.refusal("connect", makerOf(dialect).names as OptionNames.Names<Named>, options)
      : OptionNames.invalid(
          `there is no dialect '${String(dialect)}': expected ${Object.keys(makers).join(" or ")}`,
        )
  }

  /** `connect` as an effect; `busy` hears when the client becomes busy or idle, see `Activity`. */
  const acquire = (
    open: Open,
    { dialect, ...options }: Named = {},
    busy?: (busy: boolean) => void,
  ): Effect.Effect<unknown, ClientError> =>
    Effect.gen(function* () {
      const activity = Activity.make(busy)
      const { make, fromEffect } = makerOf(dialect)
      const [client, end] = yield* scoped(make(open, { ...options, activity }))
      return fromEffect(client, activity.during(end))
    })

  const connect = atBoundary((open: Open, options?: Named) =>
    promise(
      Effect.suspend(() => {
        const refused = refusal(options)
        return refused === undefined ? acquire(open, options) : Effect.fail(refused)
      }),
    ),
  )

  const makeEffect = (source: Transport | Open, { dialect, ...options }: Named = {}) =>
    makerOf(dialect).make(source, options)

  return { refusal, acquire, connect, make: makeEffect }
}
