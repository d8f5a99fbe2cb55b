#!/usr/bin/env node
/** The command `procwire` on Node. */
import { main } from "../shared/cli/Cli.ts"
import { connect } from "./WebSocketClient.ts"
import { layerSpawner } from "./NodeSpawner.ts"
import { layerWebSocket } from "./WebSocketListener.ts"

main({ layerSpawner, layerWebSocket, connectWebSocket: connect })
