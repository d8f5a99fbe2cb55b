/** What a runtime brings to the command line and to programs. */
import type * as Layer from "effect/Layer"
import type { Spawner } from "../../core/spawn/Spawner.ts"
import type { Listener } from "../../core/transport/Listener.ts"
import type { TransportError } from "../../core/transport/Transport.ts"
import type { ConnectWebSocket } from "./Connect.ts"

export interface Platform {
  readonly connectWebSocket: ConnectWebSocket
  readonly layerSpawner: Layer.Layer<Spawner>
  readonly layerWebSocket: (address: {
    readonly host: string
    readonly port: number
  }) => Layer.Layer<Listener, TransportError>
}
