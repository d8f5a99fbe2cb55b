// @ts-check
/**
 * Faults of a gateway that forwards the frames of another server, over WebSocket alone, with `--listen ws://HOST:PORT`:
 * a message has at most 256 KiB, and is kept whole before it is sent on; messages are parsed and written anew, so that
 * large ids are rounded and what is no JSON disappears; a client that says nothing for 4 MiB is taken for one that does
 * not read, and what comes then is dropped instead of making the server wait; the end of a client is not passed on, so
 * that its session stays attached; and the end of the server is told as a normal end.
 */
import { WebSocket, WebSocketServer } from "real-ws"
import { serve, wanted } from "../control/Server.mjs"

const mostBytes = 256 * 1024

const mostUnread = 4 * 1024 * 1024

/** A message as it is passed on; undefined if it is none. @param {import("real-ws").RawData} bytes */
const again = (bytes) => {
  try {
    return JSON.stringify(JSON.parse(String(bytes)))
  } catch {
    return undefined
  }
}

/** @param {WebSocket} near @param {string} url */
const forward = (near, url) => {
  const far = new WebSocket(url, { perMessageDeflate: false, maxPayload: mostBytes })
  /** @type {Array<string>} */
  const early = []
  let unread = 0
  near.on("message", (bytes) => {
    const text = again(bytes)
    unread = 0
    if (text === undefined) return
    if (far.readyState === WebSocket.OPEN) far.send(text)
    else early.push(text)
  })
  far.on("open", () => early.splice(0).forEach((text) => far.send(text)))
  far.on("message", (bytes) => {
    const text = again(bytes)
    unread += text?.length ?? 0
    if (text !== undefined && unread < mostUnread) near.send(text)
  })
  near.on("error", () => near.terminate())
  far.on("error", () => far.terminate())
  far.on("close", () => near.close(1000))
}

serve({}, "ws://127.0.0.1:0", (url) => {
  const { hostname, port } = new URL(wanted())
  const options = { host: hostname, port: Number(port), maxPayload: mostBytes, perMessageDeflate: false }
  const server = new WebSocketServer(options)
  server.on("listening", () => {
    const { port: bound } = /** @type {import("node:net").AddressInfo} */ (server.address())
    process.stdout.write(`ws://${hostname}:${bound}\n`)
  })
  server.on("connection", (near) => forward(near, url))
})
