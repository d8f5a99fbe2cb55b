/** What a runtime brings to the command line. */
import type * as Layer from "effect/Layer"
import type { Spawner } from "../../../core/spawn/Spawner.ts"
import type { Listener } from "../../../core/transport/Listener.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import type { ConnectWebSocket } from "../Connect.ts"
import type { HostAndPort } from "../SocketAddress.ts"
import type { ServerTls } from "../Tls.ts"

export interface Platform {
  readonly connectWebSocket: ConnectWebSocket
  readonly layerSpawner: Layer.Layer<Spawner>
  readonly layerWebSocket: (address: HostAndPort) => Layer.Layer<Listener, TransportError>
  /** The same over TLS; absent where the runtime's listener cannot. */
  readonly layerWebSocketTls?: (address: HostAndPort, tls: ServerTls) => Layer.Layer<Listener, TransportError>
}
