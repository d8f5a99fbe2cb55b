// @ts-check
/**
 * A small server, right as far as it goes, on stdio or with `--listen ws://HOST:PORT` on WebSocket.
 *
 * Each broken server is this one with one part replaced (Parts.mjs). It claims nothing but processes on pipes and
 * sessions: see `without` in testing/Control.ts for what it lacks.
 */
import { WebSocketServer } from "real-ws"
import * as Connection from "./Connection.mjs"
import { parts as right } from "./Parts.mjs"
import * as Processes from "./Processes.mjs"

/**
 * @typedef {import("./Parts.mjs").Parts} Parts
 * @typedef {import("./Parts.mjs").Sessions} Sessions
 */

/**
 * Serves one connection on the standard streams.
 * @param {Parts} parts
 * @param {Sessions} sessions
 * @param {() => void} leave
 */
const onStdio = (parts, sessions, leave) => {
  const connection = Connection.make({
    parts,
    sessions,
    label: "JSON-RPC message from exec-server stdio",
    write: (text) => process.stdout.write(`${text}\n`),
    end: leave,
    leave,
  })
  /** @type {Array<Buffer>} */
  let held = []
  process.stdin.on("data", (/** @type {Buffer} */ bytes) => {
    let from = 0
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      const line = Buffer.concat([...held, bytes.subarray(from, at)])
      held = []
      from = at + 1
      if (line.some((byte) => byte !== 32 && byte !== 9 && byte !== 13)) connection.receive(line)
    }
    if (from < bytes.length) held.push(bytes.subarray(from))
  })
  process.stdin.on("end", leave)
}

/**
 * Serves WebSocket connections.
 * @param {Parts} parts
 * @param {Sessions} sessions
 * @param {string} address
 * @param {(url: string) => unknown} listening
 */
const onWebSocket = (parts, sessions, address, listening) => {
  const { hostname, port } = new URL(address)
  const server = new WebSocketServer({
    host: hostname,
    port: Number(port),
    maxPayload: 64 * 1024 * 1024,
    perMessageDeflate: false,
  })
  server.on("listening", () => {
    const { port: bound } = /** @type {import("node:net").AddressInfo} */ (server.address())
    listening(`ws://${hostname}:${bound}`)
  })
  server.on("connection", (socket, { socket: { remoteAddress, remotePort } }) => {
    const connection = Connection.make({
      parts,
      sessions,
      label: `websocket JSON-RPC message from exec-server websocket ${remoteAddress}:${remotePort}`,
      write: (text) => socket.send(text),
      end: () => socket.terminate(),
      leave: () => socket.close(),
    })
    socket.on("message", (bytes) => connection.receive(/** @type {Buffer} */ (bytes)))
    socket.on("error", () => socket.terminate())
    socket.on("close", connection.lost)
  })
}

/** The address of the command line. */
export const wanted = () => {
  const at = process.argv.indexOf("--listen")
  return at < 0 ? "stdio" : (process.argv[at + 1] ?? "stdio")
}

/** The first line of a server on a socket. @param {string} url */
const tell = (url) => process.stdout.write(`${url}\n`)

/**
 * Runs the server, with other parts where it shall be wrong.
 * @param {Partial<Parts>} faults
 * @param {string} address
 * @param {(url: string) => unknown} listening
 */
export const serve = (faults = {}, address = wanted(), listening = tell) => {
  const parts = { ...right, ...faults }
  /** @type {Sessions} */
  const sessions = new Map()
  const leave = () => {
    for (const session of sessions.values()) Processes.end(session)
    process.exit(0)
  }
  process.on("SIGTERM", leave)
  process.on("SIGINT", leave)
  if (address === "stdio") onStdio(parts, sessions, leave)
  else onWebSocket(parts, sessions, address, listening)
}
