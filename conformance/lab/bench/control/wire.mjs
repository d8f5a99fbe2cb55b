// @ts-check
// FROZEN, see server.mjs. Messages of the control server: lines over a pair of streams, or text frames of WebSocket.
import { createHash } from "node:crypto"

/**
 * @import { Readable, Writable } from "node:stream"
 * @import { Socket } from "node:net"
 *
 * @typedef {object} Wire
 * @property {(take: (text: string) => void) => void} onText
 * @property {(listener: () => void) => void} onEnd
 * @property {(text: string) => boolean} send false while the client is slow
 * @property {(listener: () => void) => void} onceDrained
 */

/** @param {Readable} input @param {Writable} output @returns {Wire} */
export const lines = (input, output) => ({
  onText: (take) => {
    /** @type {Buffer[]} */
    let parts = []
    input.on("data", (/** @type {Buffer} */ bytes) => {
      let from = 0
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        parts.push(bytes.subarray(from, end))
        const line = parts.length === 1 ? parts[0] : Buffer.concat(parts)
        parts = []
        from = end + 1
        if (line !== undefined && line.length > 0) take(line.toString())
      }
      if (from < bytes.length) parts.push(bytes.subarray(from))
    })
  },
  onEnd: (listener) => input.on("end", listener),
  send: (text) => output.write(`${text}\n`),
  onceDrained: (listener) => output.once("drain", listener),
})

const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
const [textFrame, closeFrame, continuation] = [1, 8, 0]

/** @param {string} text */
const framed = (text) => {
  const size = Buffer.byteLength(text)
  const head = size < 126 ? 2 : size < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(head + size)
  frame[0] = 0x80 | textFrame
  frame[1] = head === 2 ? size : head === 4 ? 126 : 127
  if (head === 4) frame.writeUInt16BE(size, 2)
  if (head === 10) frame.writeBigUInt64BE(BigInt(size), 2)
  frame.write(text, head)
  return frame
}

/** @param {Buffer} payload @param {Buffer} mask */
const unmask = (payload, mask) => {
  for (let at = 0; at < payload.length; at += 1) payload[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0)
}

/** The first frame in these bytes, and its length; undefined if it is not whole. @param {Buffer} bytes */
const frameIn = (bytes) => {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] ?? 0) & 127
  const head = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < head + 4) return undefined
  const size =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  const end = head + 4 + size
  if (bytes.length < end) return { end, kind: -1, payload: undefined }
  const payload = bytes.subarray(head + 4, end)
  unmask(payload, bytes.subarray(head, head + 4))
  return { end, kind: (bytes[0] ?? 0) & 15, payload }
}

/**
 * Calls back with the text of each frame of a masked stream.
 * @param {Socket} socket
 * @param {(text: string) => void} take
 */
const readFrames = (socket, take) => {
  /** @type {Buffer[]} */
  let parts = []
  let [held, wanted] = [0, 2]
  socket.on("data", (/** @type {Buffer} */ bytes) => {
    parts.push(bytes)
    held += bytes.length
    if (held < wanted) return
    let rest = Buffer.concat(parts)
    wanted = 2
    for (let frame = frameIn(rest); frame !== undefined; frame = frameIn(rest)) {
      wanted = frame.end
      if (frame.payload === undefined) break
      if (frame.kind === textFrame || frame.kind === continuation) take(frame.payload.toString())
      if (frame.kind === closeFrame) socket.end()
      rest = rest.subarray(frame.end)
      wanted = 2
    }
    parts = [rest]
    held = rest.length
  })
}

/**
 * Answers the handshake of WebSocket, and calls back with the wire after it.
 * @param {Socket} socket
 * @param {(wire: Wire) => void} open
 */
export const webSocket = (socket, open) => {
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  let head = ""
  /** @param {Buffer} bytes */
  const greet = (bytes) => {
    head += bytes.toString("latin1")
    if (!head.includes("\r\n\r\n")) return
    socket.off("data", greet)
    const key = /^sec-websocket-key: *(\S+)/im.exec(head)?.[1] ?? ""
    const accept = createHash("sha1")
      .update(key + guid)
      .digest("base64")
    const answer = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
    socket.write(`${[...answer, `Sec-WebSocket-Accept: ${accept}`].join("\r\n")}\r\n\r\n`)
    open({
      onText: (take) => readFrames(socket, take),
      onEnd: (listener) => socket.on("close", listener),
      send: (text) => socket.write(framed(text)),
      onceDrained: (listener) => socket.once("drain", listener),
    })
  }
  socket.on("data", greet)
}
