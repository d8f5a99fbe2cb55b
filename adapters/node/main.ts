#!/usr/bin/env node
/** The command `procwire` on Node. */
import { main } from "../shared/cli/Cli.ts"
import { layerSpawner } from "./NodeSpawner.ts"
import { layerWebSocket } from "./WebSocketListener.ts"

main({ layerSpawner, layerWebSocket })
