/**
 * conformance/vitest.ts on this project's own server. Needs the bundle in `dist/`.
 *
 * Three families are enough here: `npm run support` runs the whole suite on every runtime.
 */
import { fileURLToPath } from "node:url"
import * as Target from "../suite/Target.ts"
import { suite } from "../vitest.ts"

const server = [
  "node",
  fileURLToPath(new URL("../../dist/procwire.mjs", import.meta.url)),
  "serve",
  "--listen",
]

const options = { only: ["handshake", "process/start", "session"], timeoutMs: 60_000 }
suite("procwire over stdio", Target.command("stdio", [...server, "stdio"]), options)
suite("procwire over WebSocket", Target.command("ws", [...server, "ws://127.0.0.1:0"]), options)
