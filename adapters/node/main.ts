#!/usr/bin/env node
/** The command `procwire` on Node. */
import v8 from "node:v8"
import { main } from "../shared/cli/Cli.ts"
import { layerSpawner } from "./NodeSpawner.ts"
import { connect } from "./WebSocketClient.ts"
import { layerWebSocket } from "./WebSocketListener.ts"

// A server of bytes makes garbage fast: a small heap halves its peak and was measured to cost no throughput.
v8.setFlagsFromString("--optimize-for-size")

main({
  layerSpawner,
  layerWebSocket,
  layerWebSocketTls: (address, tls) => layerWebSocket({ ...address, tls }),
  connectWebSocket: connect,
})
