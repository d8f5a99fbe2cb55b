// A connection as messages, with nothing in between that could hide a fault: texts or bytes out, texts in.
import * as Net from "node:net"
import * as Tls from "node:tls"
import { WebSocket } from "real-ws"
import { within } from "./command.mjs"

const newline = 10

/** Calls back with each line. Bytes are decoded as late as a line is whole. */
const lineReader = (take) => {
  let parts = []
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end))
      take(parts.length === 1 ? parts[0] : Buffer.concat(parts))
      parts = []
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
}

const overLines = (input, output, wire, end) => {
  input.on(
    "data",
    lineReader((line) => wire.take(line)),
  )
  for (const stream of new Set([input, output])) stream.on("error", () => {}).on("close", wire.ends)
  input.on("end", wire.ends)
  return Object.assign(wire, {
    send: (message) => output.write(typeof message === "string" ? `${message}\n` : message),
    pause: () => input.pause(),
    resume: () => input.resume(),
    close: end,
    destroy: () => {
      input.destroy()
      output.destroy()
    },
  })
}

const connected = (socket, event) =>
  within(
    new Promise((resolve, reject) => socket.once(event, resolve).once("error", reject)),
    30_000,
    "a connection",
  )

/** Connects to a server of `serve`. Whoever asks sets `take` (a Buffer per message) before the first answer comes. */
export const open = async (server, { ca } = {}) => {
  let over
  const wire = {
    take: () => {},
    ended: false,
    ends: () => {
      wire.ended = true
      over()
    },
  }
  wire.over = new Promise((resolve) => (over = resolve))
  const { transport, url, child } = server
  if (transport === "stdio") return overLines(child.stdout, child.stdin, wire, () => child.stdin.end())
  if (transport === "ws" || transport === "wss") {
    const ws = new WebSocket(url, { perMessageDeflate: false, ca })
    ws.on("message", (data) => wire.take(data))
      .on("close", wire.ends)
      .on("error", () => {})
    await connected(ws, "open")
    return Object.assign(wire, {
      ws,
      send: (message) => ws.send(message, { binary: false }),
      pause: () => ws.pause(),
      resume: () => ws.resume(),
      close: () => ws.close(),
      destroy: () => ws.terminate(),
    })
  }
  const { hostname, port } = transport === "unix" ? {} : new URL(url)
  const socket =
    transport === "tls"
      ? Tls.connect({ host: hostname, port: Number(port), ca })
      : transport === "tcp"
        ? Net.connect(Number(port), hostname)
        : Net.connect(url.slice("unix:".length))
  await connected(socket, transport === "tls" ? "secureConnect" : "connect")
  return overLines(socket, socket, wire, () => socket.end())
}
