/**
 * The transports of lines: newline-delimited messages on the stdin and stdout of a server, on a unix socket or over
 * TCP.
 *
 * A line is decoded as a whole, so characters that are split over reads arrive intact.
 */
import * as net from "node:net"
import type { Readable, Writable } from "node:stream"
import { CheckFailure, fail } from "../Check.ts"
import { within } from "../Deadline.ts"
import type { Channel, ChannelEvents } from "./Channel.ts"
import type { TransportKind } from "./TransportKind.ts"

export interface Streams {
  readonly kind: TransportKind
  readonly input: Writable
  readonly output: Readable
}

/** `unix:PATH` or `tcp://HOST:PORT`, as `net.connect` takes it. */
const optionsOf = (url: string): net.NetConnectOpts => {
  if (url.startsWith("unix:")) return { path: url.slice("unix:".length).replace(/^\/\/\//, "/") }
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) }
}

/** A connection to a server that listens on a unix socket or over TCP. */
export const connect = async (
  kind: TransportKind,
  url: string,
  events: ChannelEvents,
  timeoutMs: number,
): Promise<Channel> => {
  const socket = net.connect(optionsOf(url)).setNoDelay(true)
  const ready = new Promise<void>((resolve, reject) => {
    socket.on("connect", resolve)
    socket.on("error", (error) =>
      reject(new CheckFailure(`cannot connect to ${url}: ${error.message}`, "gone")),
    )
  })
  await within(ready, timeoutMs, `a connection to ${url}`)
  return make({ kind, input: socket, output: socket }, events)
}

export const make = ({ kind, input, output }: Streams, events: ChannelEvents): Channel => {
  let parts: Array<Buffer> = []
  let ended = false
  let dropped = false
  const deliver = (unterminated: boolean): void => {
    const text = Buffer.concat(parts).toString("utf8")
    parts = []
    events.message({ text, binary: false, unterminated })
  }
  output.on("data", (bytes: Buffer) => {
    let from = 0
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      parts.push(bytes.subarray(from, at))
      from = at + 1
      deliver(false)
    }
    if (from < bytes.length) parts.push(bytes.subarray(from))
  })
  output.on("close", () => {
    if (ended) return
    ended = true
    // A connection may be dropped in the middle of a line.
    if (parts.length > 0 && !dropped) deliver(true)
    events.end(`the server closed its ${kind === "stdio" ? "standard output" : "connection"}`)
  })
  const write = (bytes: string | Uint8Array): void => {
    if (!input.destroyed && !input.writableEnded) input.write(bytes)
  }
  const onlyWs = (): never => fail("frames exist only over WebSocket")
  return {
    kind,
    sendText: (text) => write(`${text}\n`),
    sendBytes: write,
    sendFragment: onlyWs,
    ping: onlyWs,
    pause: () => output.pause(),
    resume: () => output.resume(),
    close: () => input.end(),
    drop: () => {
      dropped = true
      input.destroy()
      output.destroy()
    },
  }
}
