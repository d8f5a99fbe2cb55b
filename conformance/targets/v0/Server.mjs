// @ts-check
/**
 * A small server of the first wire, v0, on stdio or with `--listen ws://HOST:PORT`: right as far as it goes, which is
 * pipes. `--fault NAME` replaces the part of that name in faults.mjs.
 */
import { WebSocketServer } from "real-ws"
import * as Connection from "./Connection.mjs"
import { faults } from "./faults.mjs"
import { parts as right } from "./Parts.mjs"

/** @param {string} flag */
const valueOf = (flag) => {
  const at = process.argv.indexOf(flag)
  return at < 0 ? undefined : process.argv[at + 1]
}

const parts = { ...right, ...faults[valueOf("--fault") ?? ""] }
const address = valueOf("--listen") ?? "stdio"
if (address === "stdio") {
  const leave = () => {
    connection.lost()
    process.exit(0)
  }
  const connection = Connection.make(
    parts,
    (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
    leave,
  )
  let rest = ""
  process.stdin.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) connection.receive(line)
  })
  process.stdin.on("end", leave)
} else {
  const { hostname, port } = new URL(address)
  const server = new WebSocketServer({ host: hostname, port: Number(port), perMessageDeflate: false })
  server.on("listening", () => {
    const { port: bound } = /** @type {import("node:net").AddressInfo} */ (server.address())
    process.stdout.write(`ws://${hostname}:${bound}\n`)
  })
  server.on("connection", (socket) => {
    const write = (/** @type {unknown} */ message) => socket.send(JSON.stringify(message))
    const connection = Connection.make(parts, write, () => socket.terminate())
    socket.on("message", (bytes) => connection.receive(bytes.toString()))
    socket.on("error", () => socket.terminate())
    socket.on("close", connection.lost)
  })
  process.on("SIGTERM", () => process.exit(0))
}
