/**
 * The WebSocket transport: one message per frame; fragments, binary frames and pings on request.
 */
import { WebSocket, type RawData } from "real-ws"
import type { Channel, ChannelEvents } from "./Channel.ts"
import { CheckFailure } from "../Check.ts"
import { within } from "../Deadline.ts"

/** The address of a server and the deadline, in milliseconds. */
export interface ConnectOptions {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly events: ChannelEvents
  readonly timeoutMs: number
}

const bytesOf = (data: RawData): Buffer => {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? Buffer.from(data) : data
}

/** Connects; fails with a CheckFailure if the server refuses. */
export const connect = async (options: ConnectOptions): Promise<Channel> => {
  const { events } = options
  const socket = new WebSocket(options.url, {
    headers: { ...options.headers },
    perMessageDeflate: false,
    maxPayload: 512 * 1024 * 1024,
  })
  let opened = false
  let trouble = ""
  socket.on("message", (data, binary) =>
    events.message({ text: bytesOf(data).toString("utf8"), binary, unterminated: false }),
  )
  socket.on("ping", (payload) => events.control("ping", payload.toString("utf8")))
  socket.on("pong", (payload) => events.control("pong", payload.toString("utf8")))
  const ready = new Promise<void>((resolve, reject) => {
    socket.on("open", () => {
      opened = true
      resolve()
    })
    socket.on("error", (error) => {
      trouble = error.message
      if (!opened) reject(new CheckFailure(`cannot connect to ${options.url}: ${error.message}`, "gone"))
    })
    socket.on("close", (code) => {
      if (opened) events.end(`the connection ended with code ${code}${trouble === "" ? "" : ` (${trouble})`}`)
    })
  })
  // The only deadline: a second one in the socket would sometimes come first, with other words.
  await within(ready, options.timeoutMs, `a WebSocket connection to ${options.url}`).catch(
    (error: unknown) => {
      socket.terminate()
      throw error
    },
  )
  const send = (data: string | Uint8Array, flags: { binary: boolean; fin: boolean }): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(data, flags, () => undefined)
  }
  return {
    kind: "ws",
    sendText: (text) => send(text, { binary: false, fin: true }),
    sendBytes: (bytes) => send(bytes, { binary: true, fin: true }),
    sendFragment: (text, last) => send(text, { binary: false, fin: last }),
    ping: (payload) => socket.ping(payload),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: (code) => socket.close(code),
    drop: () => socket.terminate(),
  }
}
