/** What Deno brings. */
import type { Platform } from "../shared/Platform.ts"
import { connectWebSocket, layerWebSocket } from "../shared/WebSockets.ts"
import { layerSpawner } from "./DenoSpawner.ts"

export const platform: Platform = {
  layerSpawner,
  layerWebSocket,
  connectWebSocket,
}
