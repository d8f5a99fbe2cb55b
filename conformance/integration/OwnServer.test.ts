/**
 * conformance/vitest.ts on this project's own server. Needs the bundle in `dist/`.
 *
 * A family on each is enough here: `npm run lab -- support` plays the whole suite over WebSocket and what
 * depends on the transport over all of them. Over stdio each case starts a server of its own.
 */
import { fileURLToPath } from "node:url"
import * as Target from "../suite/Target.ts"
import { suite } from "../vitest.ts"

const server = [
  "node",
  fileURLToPath(new URL("../../dist/procwire.cjs", import.meta.url)),
  "serve",
  "--listen",
]

const timeoutMs = 60_000
suite("procwire over stdio", Target.command("stdio", [...server, "stdio"]), {
  only: ["handshake"],
  timeoutMs,
})
suite("procwire over WebSocket", Target.command("ws", [...server, "ws://127.0.0.1:0"]), {
  only: ["process/start"],
  timeoutMs,
})
// guards: status-and-metrics
suite("procwire's status over WebSocket", Target.command("ws", [...server, "ws://127.0.0.1:0"]), {
  only: ["websocket/status"],
  timeoutMs,
})
