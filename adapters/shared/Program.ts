/** One call to a client, as the entry points of the runtimes export it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Client from "../../core/client/Client.ts"
import * as Dialects from "../../core/client/Dialects.ts"
import { promise } from "../../core/client/Promises.ts"
import type * as V0Client from "../../core/client/v0/V0Client.ts"
import type { Transport, TransportError } from "../../core/transport/Transport.ts"
import * as Background from "./Background.ts"
import * as Connect from "./Connect.ts"
import type { Platform } from "./Platform.ts"
import * as ServerServices from "./ServerServices.ts"

export type { InProcessTarget, RemoteTarget, Target } from "./Connect.ts"
export type { Options as CommandOptions } from "./transport/CommandTransport.ts"
export type { Options as UrlOptions } from "./transport/WebSocketClient.ts"

/** What the entry points of the runtimes export. */
export interface Program {
  /**
   * A client of that server. A lost connection to a URL is replaced and the session resumed, unless
   * `options.reconnect` is false; the other servers end with their connection. With the dialect `v0`, the client is
   * one of the first version of the wire, which resumes nothing.
   */
  readonly connect: ToClient
  /** The transport alone, for `ExecClient.make`. */
  readonly open: (target: Connect.Target) => Effect.Effect<Transport, TransportError, Scope.Scope>
}

/** Connects a client. Rejects if the server cannot be reached or its handshake fails. */
export interface ToClient {
  (target: Connect.Target, options: Dialects.V0Options): Promise<V0Client.V0Client>
  (target: Connect.Target, options?: Dialects.CurrentOptions): Promise<Client.Client>
}

/** The calls on this runtime. */
export const make = (platform: Platform): Program => {
  const open = (target: Connect.Target) =>
    "inProcess" in target
      ? Effect.flatMap(Layer.build(ServerServices.layer(platform)), (services) =>
          Effect.provide(Connect.open(target), services),
        )
      : Connect.openRemote(target)
  // Both clients ignore options that they do not know.
  const connect = (target: Connect.Target, options?: Dialects.CurrentOptions) => {
    const opened = Effect.tap(open(target), ({ unref }) => Effect.sync(() => unref?.()))
    const settings = "url" in target ? { reconnect: {}, ...options } : options
    return promise(Effect.withClock(Dialects.acquire(opened, settings, Background.holder()), Background.clock))
  }
  return { open, connect: connect as ToClient }
}
