/** Text frames of RFC 6455, written without a copy. `FrameReader` reads those that come. */
import { encodeText } from "../../../core/transport/Framing.ts"

/** The largest frame accepted from a client, in bytes: 16 MiB, as in the peer implementation. */
export const maxFrameBytes = 16 * 1024 * 1024

const finalText = 0x81
/** A body of so many bytes is copied behind its header: one part costs less than two. */
const smallBody = 1024

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

/** A message as a frame, in one part or in header and body. */
export const encodeFrame = (
  message: string | Uint8Array,
): readonly [frame: Uint8Array, body?: Uint8Array] => {
  if (typeof message !== "string") return [textHeader(message.length), message]
  const body = encodeText(message)
  const header = textHeader(body.length)
  if (body.length > smallBody) return [header, body]
  const frame = new Uint8Array(header.length + body.length)
  frame.set(header)
  frame.set(body, header.length)
  return [frame]
}
