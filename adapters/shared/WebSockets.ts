/** WebSockets through `ws`, loaded when the first is wanted: without them a server starts faster. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Platform } from "./Platform.ts"

export const layerWebSocket: Platform["layerWebSocket"] = (address) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("./WebSocketListener.ts")),
      (listener) => listener.layerWebSocket(address),
    ),
  )

export const connectWebSocket: Platform["connectWebSocket"] = (url, options) =>
  Effect.flatMap(
    Effect.promise(() => import("./WebSocketClient.ts")),
    (client) => client.connect(url, options),
  )
