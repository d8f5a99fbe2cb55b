/** Makes a client that speaks a given dialect, as effects (`make`) or as promises (`connect`). */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Transport } from "../transport/Transport.ts"
import type * as Client from "./Client.ts"
import type { ClientError } from "./ClientError.ts"
import * as Connecting from "./Connecting.ts"
import type * as ExecClient from "./ExecClient.ts"
import type * as OptionNames from "./OptionNames.ts"
import type { Open } from "./Reconnect.ts"
import * as V0Client from "./v0/V0Client.ts"
import * as V0ExecClient from "./v0/V0ExecClient.ts"

export type { CurrentOptions } from "./Connecting.ts"

/** For servers that speak the first wire, v0. */
export interface V0Options extends Omit<V0ExecClient.Options, "activity"> {
  /** Selects the first wire. */
  readonly dialect: "v0"
}

const v0 = {
  names: Connecting.shared satisfies OptionNames.Names<V0Options>,
  make: V0ExecClient.make,
  fromEffect: V0Client.fromEffect,
}

const door = Connecting.make({ current: Connecting.current, v0 })

/**
 * Why these cannot be the options of `connect`; undefined where they can.
 * @internal
 */
export const refusal: (
  options: Connecting.CurrentOptions | V0Options | null | undefined,
) => ClientError | undefined = door.refusal

/** A client over one transport, or over those that an effect opens. */
export const make: {
  (
    source: Transport | Open,
    options: V0Options,
  ): Effect.Effect<V0ExecClient.V0ExecClient, ClientError, Scope.Scope>
  (
    source: Transport | Open,
    options?: Connecting.CurrentOptions,
  ): Effect.Effect<ExecClient.ExecClient, ClientError, Scope.Scope>
} = door.make as never

/** Connects, and resolves with the client as promises. Rejects with `ClientError`. */
export const connect: {
  (open: Open, options: V0Options): Promise<V0Client.V0Client>
  (open: Open, options?: Connecting.CurrentOptions): Promise<Client.Client>
} = door.connect as never

/**
 * `connect` as an effect; `busy` hears when the client becomes busy or idle, see `Activity`.
 * @internal
 */
export const acquire: (
  open: Open,
  options?: Connecting.CurrentOptions | V0Options,
  busy?: (busy: boolean) => void,
) => Effect.Effect<unknown, ClientError> = door.acquire
