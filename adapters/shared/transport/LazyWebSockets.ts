/** WebSocket listener and client, loaded at first use: a server without them starts faster. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Listener } from "../../../core/transport/Listener.ts"
import type { Transport, TransportError } from "../../../core/transport/Transport.ts"
import type * as WebSocketClient from "./WebSocketClient.ts"
import type * as WebSocketListener from "./WebSocketListener.ts"
import type * as WebSocketUpgrades from "./WebSocketUpgrades.ts"

/** Listens for WebSockets at one address until the layer is closed; see `WebSocketListener`. */
export const layerWebSocket = (options: WebSocketListener.Options): Layer.Layer<Listener, TransportError> =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./WebSocketListener.ts")),
      (listener) => listener.layerWebSocket(options),
    ),
  )

/** Takes upgrades of somebody else's HTTP server. */
export const makeUpgrades = (
  options: WebSocketUpgrades.Options,
): Effect.Effect<WebSocketUpgrades.WebSocketUpgrades, never, Scope.Scope> =>
  Effect.flatMap(
    Effect.promise(() => import("./WebSocketUpgrades.ts")),
    (upgrades) => upgrades.make(options),
  )

export const connect = (
  url: string,
  options?: WebSocketClient.PlainOptions,
): Effect.Effect<Transport, TransportError, Scope.Scope> =>
  Effect.flatMap(
    Effect.promise(() => import("./WebSocketClient.ts")),
    (client) => client.connect(url, options),
  )
