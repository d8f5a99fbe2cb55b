/**
 * The stdio transport: newline-delimited texts on the standard streams of a server process.
 *
 * A line is decoded as a whole, so that characters split over reads arrive intact.
 */
import type { Channel, ChannelEvents } from "./Channel.ts"
import { fail } from "../Check.ts"
import type { ServerProcess } from "./ServerProcess.ts"

export const make = (server: ServerProcess, events: ChannelEvents): Channel => {
  const { stdin, stdout } = server.child
  let parts: Array<Buffer> = []
  let ended = false
  const deliver = (unterminated: boolean): void => {
    const text = Buffer.concat(parts).toString("utf8")
    parts = []
    events.message({ text, binary: false, unterminated })
  }
  stdout.on("data", (bytes: Buffer) => {
    let from = 0
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      parts.push(bytes.subarray(from, at))
      from = at + 1
      deliver(false)
    }
    if (from < bytes.length) parts.push(bytes.subarray(from))
  })
  stdout.on("close", () => {
    if (ended) return
    ended = true
    if (parts.length > 0) deliver(true)
    events.end("the server closed its standard output")
  })
  const write = (bytes: string | Uint8Array): void => {
    if (!stdin.destroyed && !stdin.writableEnded) stdin.write(bytes)
  }
  const onlyWs = (): never => fail("frames exist only over WebSocket")
  return {
    kind: "stdio",
    sendText: (text) => write(`${text}\n`),
    sendBytes: write,
    sendFragment: onlyWs,
    ping: onlyWs,
    pause: () => stdout.pause(),
    resume: () => stdout.resume(),
    close: () => stdin.end(),
    drop: () => {
      stdin.destroy()
      stdout.destroy()
    },
  }
}
