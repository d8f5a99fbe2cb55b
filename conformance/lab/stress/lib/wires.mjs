// @ts-check
// A connection as messages, without any layer that could hide a fault: texts or bytes out, bytes of one message in; and
// a client on it, with requests that have a deadline, and notifications as they come.
import { once } from "node:events"
import * as Net from "node:net"
import { WebSocket } from "real-ws"
import { within } from "./command.mjs"

/**
 * A text is one message, bytes are sent as they are; `pause` stops reading; `close` ends the connection in order.
 * @typedef {{ send: (message: string | Uint8Array) => void, pause: () => void, resume: () => void, close: () => void,
 *   destroy: () => void, ws?: WebSocket }} Ends
 * `take` gets each message, and is set by the user before the first one comes; `over` resolves at the end.
 * @typedef {Ends & { take: (message: Buffer) => void, ended: boolean, over: Promise<void> }} Wire
 * @typedef {{ stdin: import("node:stream").Writable, stdout: import("node:stream").Readable }} Streams
 * @typedef {{ transport: string, url: string, child?: Streams }} Address
 * @typedef {{ take: (message: Buffer) => void, ended: () => void }} Listener
 */

/** @param {Streams} streams @param {Listener} listener @param {() => void} close @returns {Ends} */
const overLines = ({ stdin: output, stdout: input }, { take, ended }, close) => {
  /** @type {Buffer[]} */
  const parts = []
  input.on("end", ended).on("data", (/** @type {Buffer} */ chunk) => {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      take(Buffer.concat([...parts.splice(0), chunk.subarray(start, end)]))
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  })
  for (const stream of new Set([input, output])) stream.on("error", () => {}).on("close", ended)
  return {
    send: (message) => output.write(typeof message === "string" ? `${message}\n` : message),
    pause: () => input.pause(),
    resume: () => input.resume(),
    close,
    destroy: () => void [input.destroy(), output.destroy()],
  }
}

/** @param {Address} server @param {Listener} listener @returns {Promise<Ends>} */
const overWebSocket = async ({ url }, { take, ended }) => {
  const ws = new WebSocket(url, { perMessageDeflate: false })
  ws.on("message", (/** @type {Buffer} */ data) => take(data))
    .on("close", ended)
    .on("error", () => {})
  await once(ws, "open")
  return {
    ws,
    send: (message) => ws.send(message, { binary: false }),
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    close: () => ws.close(),
    destroy: () => ws.terminate(),
  }
}

/** @param {Address} server @param {Listener} listener @returns {Promise<Ends>} */
const overSocket = async ({ transport, url }, listener) => {
  const place = () => ({ host: new URL(url).hostname, port: Number(new URL(url).port) })
  const socket = Net.connect(transport === "tcp" ? place() : { path: url.slice("unix:".length) })
  await once(socket, "connect")
  return overLines({ stdin: socket, stdout: socket }, listener, () => socket.end())
}

/** Connects to a server of `serve`. @param {Address} server @returns {Promise<Wire>} */
export const open = async (server) => {
  let settle = () => {}
  const over = /** @type {Promise<void>} */ (new Promise((resolve) => (settle = resolve)))
  /** @type {Pick<Wire, "take" | "ended" | "over">} */
  const state = { take: () => {}, ended: false, over }
  void over.then(() => (state.ended = true))
  const listener = { take: (/** @type {Buffer} */ message) => state.take(message), ended: () => settle() }
  const { transport, url, child } = server
  const overStdio = child && transport === "stdio" && overLines(child, listener, () => child.stdin.end())
  const overOther = transport === "ws" ? overWebSocket : overSocket
  return Object.assign(state, overStdio || (await overOther({ transport, url }, listener)))
}

/**
 * Gets notifications about processes; only output has a `chunk`.
 * @typedef {(method: string, params: { processId: string, seq: number, chunk: string }) => void} Notified
 * @typedef {Record<string, any>} Params
 */

/** A client that recovers from nothing, before its handshake. @param {Address} server @param {Notified} [notified] */
export const connect = async (server, notified = () => {}) => {
  const wire = await open(server)
  /** @type {Map<number, { resolve: (result: Params) => void, reject: (error: Error) => void }>} */
  const waiting = new Map()
  let last = 0
  wire.take = (bytes) => {
    const { id, method, params, result, error } = JSON.parse(bytes.toString())
    if (method !== undefined) return notified(method, params)
    const request = waiting.get(id)
    waiting.delete(id)
    return error === undefined ? request?.resolve(result) : request?.reject(new Error(error.message))
  }
  void wire.over.then(() => {
    for (const { reject } of waiting.values()) reject(new Error("the connection ended"))
    waiting.clear()
  })
  /** @param {string} method @param {Params} params */
  const call = (method, params) => {
    const id = (last += 1)
    /** @type {Promise<Params>} */
    const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    wire.send(JSON.stringify({ id, method, params }))
    return within(answer, 60_000, `the answer to ${method}`)
  }
  /** The id of the session. @param {Params} [more] */
  const handshake = async (more = {}) => {
    const { sessionId } = await call("initialize", { clientName: "stress", ...more })
    wire.send('{"method":"initialized"}')
    return String(sessionId)
  }
  return { wire, call, handshake }
}

/** Params of a start. @param {string} processId @param {readonly string[]} argv @param {Params} [more] */
export const start = (processId, argv, more = {}) => {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" }
  return { processId, argv, cwd: "file:///tmp", env, tty: false, ...more }
}
