/** What Bun brings. */
import type { Platform } from "../shared/Platform.ts"
import * as WebSocketClient from "../shared/WebSocketClient.ts"
import * as WebSocketListener from "../shared/WebSocketListener.ts"
import { layerSpawner } from "./BunSpawner.ts"

export const platform: Platform = {
  layerSpawner,
  layerWebSocket: WebSocketListener.layerWebSocket,
  connectWebSocket: WebSocketClient.connect,
}
