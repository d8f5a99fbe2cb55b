/**
 * The whole suite against this project's own server, over every transport. Needs the bundle in `dist/`.
 */
import { fileURLToPath } from "node:url"
import * as Target from "./Target.ts"
import { suite } from "./vitest.ts"

const server = ["node", fileURLToPath(new URL("../dist/procwire.mjs", import.meta.url)), "serve", "--listen"]

suite("procwire over stdio", Target.command("stdio", [...server, "stdio"]))
suite("procwire over WebSocket", Target.command("ws", [...server, "ws://127.0.0.1:0"]))

/** What depends on the transport; the rest has been seen over two. */
const only = ["handshake", "envelope", "framing", "limits", "lifecycle", "session", "concurrency"]
suite("procwire over a unix socket", Target.command("unix", [...server, Target.placeholder]), { only })
suite("procwire over TCP", Target.command("tcp", [...server, Target.placeholder]), { only })
