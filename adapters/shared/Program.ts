/** One call to a client, as the entry points of the runtimes export it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Client from "../../core/client/Client.ts"
import * as Dialects from "../../core/client/Dialects.ts"
import { promise } from "../../core/client/Promises.ts"
import type * as V0Client from "../../core/client/v0/V0Client.ts"
import { type Transport, TransportError } from "../../core/transport/Transport.ts"
import * as Background from "./Background.ts"
import * as Connect from "./Connect.ts"
import type { Platform } from "./Platform.ts"
import * as ServerServices from "./ServerServices.ts"
import * as TargetCheck from "./TargetCheck.ts"

export type { InProcessTarget, RemoteTarget, Target, UrlTarget } from "./Connect.ts"
export type { Options as CommandOptions } from "./transport/CommandTransport.ts"
export type { Options as UrlOptions } from "./transport/WebSocketClient.ts"

/** What the entry points of the runtimes export. */
export interface Program {
  /**
   * A client of that server. A lost connection to a URL is replaced and the session resumed, unless
   * `options.reconnect` is false; the other servers end with their connection. With the dialect `v0`, the client is
   * one of the first version of the wire, which resumes nothing. A program that does not close its client ends all the
   * same when the client is idle: no call is pending and no process is followed.
   */
  readonly connect: ToClient
  /** The transport alone, for `ExecClient.make`. */
  readonly open: (target: Connect.Target) => Effect.Effect<Transport, TransportError, Scope.Scope>
}

/**
 * Connects a client. Rejects with `InvalidOption` for a target or an option that does not exist, and with `Connect`,
 * `Server` or `Timeout` if the server cannot be reached or its handshake fails.
 */
export interface ToClient {
  (target: Connect.Target, options: Dialects.V0Options): Promise<V0Client.V0Client>
  (target: Connect.Target, options?: Dialects.CurrentOptions): Promise<Client.Client>
}

/** The calls on this runtime. */
export const make = (platform: Platform): Program => {
  const openChecked = (target: Connect.Target) =>
    "inProcess" in target
      ? Effect.flatMap(Layer.build(ServerServices.layer(platform)), (services) =>
          Effect.provide(Connect.open(target), services),
        )
      : Connect.openRemote(target)
  const open = (target: Connect.Target) =>
    Effect.suspend(() => {
      const refusal = TargetCheck.refusal(target)
      if (refusal === undefined) return openChecked(target)
      return Effect.fail(new TransportError({ reason: "Open", message: refusal.message, cause: refusal }))
    })
  const connect = async (target: Connect.Target, options?: Dialects.CurrentOptions | Dialects.V0Options) => {
    const refusal = TargetCheck.refusal(target) ?? Dialects.refusal(options)
    if (refusal !== undefined) throw refusal
    const opened = Effect.tap(openChecked(target), ({ unref }) => Effect.sync(() => unref?.()))
    const reconnects = "url" in target && options?.dialect !== "v0"
    const settings = reconnects ? { reconnect: {}, ...options } : options
    return promise(
      Effect.withClock(Dialects.acquire(opened, settings, Background.holder()), Background.clock),
    )
  }
  return { open, connect: connect as ToClient }
}
