/**
 * The parts of RFC 6455 that the library does not cover: text frames written without a copy, and a limit on the size of
 * a single frame (libraries limit messages only).
 */
import { encodeText } from "../../../core/transport/Framing.ts"

/** The largest frame accepted from a client, in bytes: 16 MiB, as in the peer implementation. */
export const maxFrameBytes = 16 * 1024 * 1024

const finalText = 0x81

/** The header of an unmasked text frame that carries a whole message. */
export const textHeader = (length: number): Uint8Array => {
  if (length < 126) return Uint8Array.of(finalText, length)
  if (length < 65_536) return Uint8Array.of(finalText, 126, length >> 8, length & 0xff)
  const header = new Uint8Array(10)
  const view = new DataView(header.buffer)
  header[0] = finalText
  header[1] = 127
  view.setUint32(2, Math.floor(length / 2 ** 32))
  view.setUint32(6, length % 2 ** 32)
  return header
}

/** Header and body of a message; the body is undefined where the frame is empty. */
export const encodeFrame = (
  message: string | Uint8Array,
): readonly [header: Uint8Array, body: Uint8Array | undefined] => {
  const body = typeof message === "string" ? encodeText(message) : message
  return [textHeader(body.length), body.length === 0 ? undefined : body]
}

/** Follows the frame headers in the byte stream of one connection. */
export class FrameWatch {
  private readonly header = new Uint8Array(14)
  private have = 0
  private skip = 0

  /** Takes the next bytes; answers false once a frame over the limit begins. */
  push(chunk: Uint8Array): boolean {
    let at = 0
    while (at < chunk.length) {
      if (this.skip > 0) {
        const step = Math.min(this.skip, chunk.length - at)
        this.skip -= step
        at += step
        continue
      }
      this.header[this.have++] = chunk[at++]!
      if (this.have < 2 || this.have < headerLength(this.header[1]!)) continue
      this.skip = payloadLength(this.header)
      this.have = 0
      if (this.skip > maxFrameBytes) return false
    }
    return true
  }
}

const headerLength = (second: number): number => {
  const short = second & 0x7f
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0
  return 2 + extended + (second & 0x80 ? 4 : 0)
}

const payloadLength = (header: Uint8Array): number => {
  const short = header[1]! & 0x7f
  const view = new DataView(header.buffer)
  if (short === 126) return view.getUint16(2)
  return short === 127 ? view.getUint32(2) * 2 ** 32 + view.getUint32(6) : short
}
