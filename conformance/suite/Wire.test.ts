/**
 * The suite as vitest runs it, against this project's own server. A part is enough here: `npm run support` plays
 * the whole of it on every runtime. Needs the bundle in `dist/`.
 */
import { fileURLToPath } from "node:url"
import * as Target from "./Target.ts"
import { suite } from "../vitest.ts"

const server = [
  "node",
  fileURLToPath(new URL("../../dist/procwire.mjs", import.meta.url)),
  "serve",
  "--listen",
]

const only = ["handshake", "process/start", "session"]
suite("procwire over stdio", Target.command("stdio", [...server, "stdio"]), { only })
suite("procwire over WebSocket", Target.command("ws", [...server, "ws://127.0.0.1:0"]), { only })
