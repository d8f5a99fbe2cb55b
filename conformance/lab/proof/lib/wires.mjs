// @ts-check
// A connection as messages, without any layer that could hide a fault: texts or bytes out, bytes of one message in.
import * as Net from "node:net"
import * as Tls from "node:tls"
import { WebSocket } from "real-ws"
import { within } from "./command.mjs"

/**
 * @typedef {object} Wire
 * @property {(message: Buffer) => void} take gets each message; set by the user before the first one comes
 * @property {boolean} ended
 * @property {Promise<void>} over resolves when the connection has ended
 * @property {(message: string | Uint8Array) => void} send a text is one message, bytes are sent as they are
 * @property {() => void} pause stops reading
 * @property {() => void} resume
 * @property {() => void} close ends the connection in order
 * @property {() => void} destroy ends it at once
 * @property {WebSocket} [ws] of a WebSocket
 *
 * @typedef {{ stdin: import("node:stream").Writable, stdout: import("node:stream").Readable }} Streams
 * @typedef {Pick<Wire, "send" | "pause" | "resume" | "close" | "destroy"> & { ws?: WebSocket }} Ends
 * @typedef {{ transport: string, url: string, child?: Streams }} Address
 */

const newline = 10

/**
 * Calls back with each line of a stream of bytes.
 * @param {(line: Buffer) => void} take
 */
const lineReader = (take) => {
  /** @type {Buffer[]} */
  let parts = []
  /** @param {Buffer} chunk */
  const read = (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end))
      take(Buffer.concat(parts))
      parts = []
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
  return read
}

/** @typedef {{ take: (message: Buffer) => void, ended: () => void }} Listener */

/**
 * @param {import("node:stream").Readable} input
 * @param {import("node:stream").Writable} output
 * @param {Listener} listener
 * @param {() => void} close
 * @returns {Ends}
 */
const overLines = (input, output, { take, ended }, close) => {
  input.on("data", lineReader(take))
  for (const stream of new Set([input, output])) stream.on("error", () => {}).on("close", ended)
  input.on("end", ended)
  return {
    send: (message) => output.write(typeof message === "string" ? `${message}\n` : message),
    pause: () => input.pause(),
    resume: () => input.resume(),
    close,
    destroy: () => {
      input.destroy()
      output.destroy()
    },
  }
}

/** @param {import("node:events").EventEmitter} socket @param {string} event */
const connected = (socket, event) =>
  within(
    new Promise((resolve, reject) => socket.once(event, resolve).once("error", reject)),
    30_000,
    "a connection",
  )

/** @param {string} url @param {Listener} listener @param {Buffer | undefined} ca @returns {Promise<Ends>} */
const overWebSocket = async (url, { take, ended }, ca) => {
  const ws = new WebSocket(url, { perMessageDeflate: false, ca })
  ws.on("message", (/** @type {Buffer} */ data) => take(data))
    .on("close", ended)
    .on("error", () => {})
  await connected(ws, "open")
  return {
    ws,
    send: (message) => ws.send(message, { binary: false }),
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    close: () => ws.close(),
    destroy: () => ws.terminate(),
  }
}

/** @param {Address} server @param {Listener} listener @param {Buffer | undefined} ca @returns {Promise<Ends>} */
const overSocket = async ({ transport, url }, listener, ca) => {
  const place = () => {
    const { hostname, port } = new URL(url)
    return { host: hostname, port: Number(port) }
  }
  const open = () => {
    if (transport === "tls") return Tls.connect({ ...place(), ca })
    return Net.connect(transport === "tcp" ? place() : { path: url.slice("unix:".length) })
  }
  const socket = open()
  await connected(socket, transport === "tls" ? "secureConnect" : "connect")
  return overLines(socket, socket, listener, () => socket.end())
}

/**
 * Connects to a server of `serve`.
 * @param {Address} server
 * @param {{ ca?: Buffer | undefined }} [options]
 * @returns {Promise<Wire>}
 */
export const open = async (server, { ca } = {}) => {
  let settle = () => {}
  /** @type {Promise<void>} */
  const over = new Promise((resolve) => (settle = resolve))
  /** @type {Pick<Wire, "take" | "ended" | "over">} */
  const state = { take: () => {}, ended: false, over }
  /** @type {Listener} */
  const listener = {
    take: (message) => state.take(message),
    ended: () => {
      state.ended = true
      settle()
    },
  }
  const { transport, url, child } = server
  const ends = () => {
    if (transport === "stdio" && child)
      return overLines(child.stdout, child.stdin, listener, () => child.stdin.end())
    if (transport === "ws" || transport === "wss") return overWebSocket(url, listener, ca)
    return overSocket(server, listener, ca)
  }
  return Object.assign(state, await ends())
}
