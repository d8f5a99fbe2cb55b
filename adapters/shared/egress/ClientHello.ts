/** The server name of the first message of TLS (RFC 8446, 6066), from the bytes of its records. */

/** The meaning of the bytes so far. */
export type Read =
  /** The begin of a message: more is needed. */
  | { readonly kind: "more" }
  /** A whole ClientHello, and its server name if it has one. */
  | { readonly kind: "hello"; readonly name: string | undefined }
  /** No ClientHello. */
  | { readonly kind: "other" }

/** The most bytes of a ClientHello, with its records. */
export const longest = 16_384

const [more, other] = [{ kind: "more" }, { kind: "other" }] as const
const [handshake, clientHello, serverName, hostName] = [22, 1, 0, 0]

/** Reads all bytes that the peer has sent so far. What follows the message does not matter. */
export const read = (bytes: Uint8Array): Read => {
  const message = new Uint8Array(4 + longest)
  let length = 0
  for (let at = 0; ;) {
    // A fault shows in the first byte that has it, so that nothing waits for the rest.
    if (at < bytes.length && bytes[at] !== handshake) return other
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return other
    if (at + 5 > bytes.length) return bytes.length >= longest ? other : more
    const size = (bytes[at + 3]! << 8) | bytes[at + 4]!
    if (size === 0 || size > longest) return other
    const fragment = bytes.subarray(at + 5, at + 5 + Math.min(size, message.length - length))
    message.set(fragment, length)
    length += fragment.length
    at += 5 + size
    if (length > 0 && message[0] !== clientHello) return other
    if (length < 4) continue
    const whole = 4 + ((message[1]! << 16) | (message[2]! << 8) | message[3]!)
    if (whole > message.length) return other
    if (length >= whole) return hello(message.subarray(4, whole))
  }
}

const hello = (body: Uint8Array): Read => {
  const from = new Reader(body)
  from.take(2 + 32)
  from.block(1)
  from.block(2)
  from.block(1)
  if (from.failed) return other
  if (from.left === 0) return { kind: "hello", name: undefined }
  const extensions = new Reader(from.block(2))
  let name: string | undefined
  while (extensions.left > 0) {
    const type = extensions.number(2)
    const extension = new Reader(extensions.block(2))
    if (type !== serverName) continue
    const list = new Reader(extension.block(2))
    while (list.left > 0) {
      const kind = list.number(1)
      const host = list.block(2)
      // Two names could be read as either.
      if (kind !== hostName || name !== undefined) return other
      name = Array.from(host, (byte) => String.fromCharCode(byte)).join("")
    }
    if (extension.failed || extension.left > 0 || list.failed) return other
  }
  return from.failed || from.left > 0 || extensions.failed ? other : { kind: "hello", name }
}

/** Takes bytes from the front. One that has not enough has failed, and is empty. */
class Reader {
  failed = false
  private bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get left(): number {
    return this.bytes.length
  }

  take(count: number): Uint8Array {
    if (count > this.bytes.length) {
      this.failed = true
      this.bytes = new Uint8Array(0)
      return this.bytes
    }
    const taken = this.bytes.subarray(0, count)
    this.bytes = this.bytes.subarray(count)
    return taken
  }

  number(bytes: number): number {
    return this.take(bytes).reduce((sum, byte) => (sum << 8) | byte, 0)
  }

  /** The bytes behind their length, which has so many bytes itself. */
  block(bytes: number): Uint8Array {
    return this.take(this.number(bytes))
  }
}
