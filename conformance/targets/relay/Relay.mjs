// @ts-check
/**
 * The server of this package behind a relay, which changes what is asked or answered: for faults in what the control
 * server does not have. Over WebSocket alone, with `--listen ws://HOST:PORT`. Needs the build in `dist/`.
 */
import { WebSocket, WebSocketServer } from "real-ws"

// Found when it runs: Deno, which checks this file, takes the package for a folder of sources.
const built = "procwire/node"
/** @type {typeof import("../../../adapters/node/index.ts")} */
const { serve } = await import(built)

/**
 * @typedef {{ readonly [name: string]: any }} Fields
 * @typedef {object} Faults
 * @property {(params: Fields) => Fields} [params] what is asked instead
 * @property {(result: Fields, params: Fields) => Fields} [result] what is answered instead
 * @property {(params: Fields) => Fields} [told] what a notification tells instead
 */

/**
 * Relays one connection.
 * @param {WebSocket} near
 * @param {string} url
 * @param {string} method
 * @param {Faults} faults
 */
const relay = (near, url, method, { params: asked, result: answered, told }) => {
  const far = new WebSocket(url, { perMessageDeflate: false })
  /** @type {Map<unknown, Fields>} */
  const waiting = new Map()
  /** @type {Array<string>} */
  const early = []
  const forward = (/** @type {string} */ text) =>
    far.readyState === WebSocket.OPEN ? far.send(text) : void early.push(text)
  far.on("open", () => early.splice(0).forEach((text) => far.send(text)))
  near.on("message", (bytes) => {
    const text = String(bytes)
    if (!text.includes(`"${method}"`)) return forward(text)
    const message = JSON.parse(text)
    if (message.method !== method) return forward(text)
    waiting.set(message.id, message.params)
    forward(JSON.stringify({ ...message, params: asked?.(message.params) ?? message.params }))
  })
  far.on("message", (bytes) => {
    const text = String(bytes)
    const message = waiting.size === 0 && told === undefined ? undefined : JSON.parse(text)
    if (told !== undefined && message.method === method)
      return near.send(JSON.stringify({ ...message, params: told(message.params) }))
    const params = waiting.get(message?.id)
    if (params === undefined || answered === undefined || message.result === undefined) return near.send(text)
    waiting.delete(message.id)
    near.send(JSON.stringify({ ...message, result: answered(message.result, params) }))
  })
  ends(near, far)
  ends(far, near)
}

/** The end of one is that of the other. @param {WebSocket} one @param {WebSocket} other */
const ends = (one, other) => {
  one.on("error", () => one.terminate())
  one.on("close", () => other.terminate())
}

/**
 * Runs the server, wrong in one method.
 * @param {string} method
 * @param {Faults} [faults]
 */
export const wrong = async (method, faults = {}) => {
  const scope = process.argv.includes("control") ? "control" : "own"
  const server = await serve({ listen: "ws://127.0.0.1:0", scope })
  const [url] = server.addresses
  if (url === undefined) throw new Error("the server listens nowhere")
  const leave = () => void server.close({ graceMs: 0 }).finally(() => process.exit(0))
  process.on("SIGTERM", leave)
  process.on("SIGINT", leave)
  const { hostname, port } = new URL(process.argv[process.argv.indexOf("--listen") + 1] ?? "")
  const near = new WebSocketServer({
    host: hostname,
    port: Number(port),
    maxPayload: 64 * 1024 * 1024,
    perMessageDeflate: false,
  })
  near.on("listening", () => {
    const { port: bound } = /** @type {import("node:net").AddressInfo} */ (near.address())
    process.stdout.write(`ws://${hostname}:${bound}\n`)
  })
  near.on("connection", (socket) => relay(socket, url, method, faults))
}
