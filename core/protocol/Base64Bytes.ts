/**
 * Base64 as bytes of ASCII, as it comes from a socket and leaves by one, without a string of its length.
 *
 * Runtimes decode and encode strings only, so pieces of it become strings, which are short and soon collected. A loop
 * over the bytes takes more time than that.
 */
import { indexOf, toBase64, utf8 } from "./Bytes.ts"
import type { MemoryPool } from "./MemoryPool.ts"

interface Platform {
  readonly Buffer?: {
    readonly prototype: {
      readonly latin1Slice?: (this: Uint8Array, from: number, to: number) => string
      readonly base64Write?: (this: Uint8Array, text: string, at: number, length: number) => number
      readonly base64Slice?: (this: Uint8Array, from: number, to: number) => string
      readonly latin1Write?: (this: Uint8Array, text: string, at: number, length: number) => number
    }
  }
}

/** Bytes as newer engines have them, which the types of some do not know yet. */
interface Settable {
  setFromBase64(text: string, options: { lastChunkHandling: "strict" }): { written: number }
}

/** Characters that become one string: a multiple of four. */
const pieceLength = 16 * 1024
const [minus, underscore, pad] = [0x2d, 0x5f, 0x3d]

/** Bytes that become one string of base64: a multiple of three. */
const encodedAtOnce = (pieceLength / 4) * 3

const none: { latin1Slice?: never; base64Write?: never; base64Slice?: never; latin1Write?: never } = {}
const { latin1Slice, base64Write, base64Slice, latin1Write } =
  (globalThis as unknown as Platform).Buffer?.prototype ?? none
const hasNative = "setFromBase64" in Uint8Array.prototype

/** Decodes a piece to `bytes`, and returns how many there are: fewer than its symbols mean if one is no symbol. */
const write = (piece: string, bytes: Uint8Array, at: number): number => {
  if (!hasNative) return base64Write?.call(bytes, piece, at, bytes.length - at) ?? 0
  try {
    return (bytes.subarray(at) as unknown as Settable).setFromBase64(piece, { lastChunkHandling: "strict" })
      .written
  } catch {
    return 0
  }
}

/** Writes bytes as base64 to `into`, from `at` on. */
const encode: (bytes: Uint8Array, into: Uint8Array, at: number) => void =
  hasNative || base64Slice === undefined || latin1Write === undefined
    ? (bytes, into, at) => void utf8.encodeInto(toBase64(bytes), into.subarray(at))
    : (bytes, into, at) => {
        for (let from = 0, to = at; from < bytes.length; from += encodedAtOnce) {
          const piece = base64Slice.call(bytes, from, Math.min(from + encodedAtOnce, bytes.length))
          to += latin1Write.call(into, piece, to, piece.length)
        }
      }

/**
 * `head`, the ASCII text `middle`, `bytes` as base64 and `tail`, as one UTF-8 text in memory of the pool, or in memory
 * of its own.
 */
export const within = (
  head: Uint8Array,
  middle: string,
  bytes: Uint8Array,
  tail: Uint8Array,
  memory?: MemoryPool,
): Uint8Array => {
  const from = head.length + middle.length
  const length = from + Math.ceil(bytes.length / 3) * 4 + tail.length
  const text = memory === undefined ? new Uint8Array(length) : memory.take(length)
  text.set(head)
  utf8.encodeInto(middle, text.subarray(head.length))
  encode(bytes, text, from)
  text.set(tail, length - tail.length)
  return text
}

/** False where there is no fast way. */
export const supported = latin1Slice !== undefined && (hasNative || base64Write !== undefined)

/** How many bytes padded base64 of that text means. Undefined if it has no length of padded base64. */
export const lengthOf = (text: Uint8Array): number | undefined =>
  text.length % 4 === 0 ? (text.length / 4) * 3 - paddingOf(text) : undefined

/** Decodes to `bytes`, which has that length. False if the text is not strict base64. */
export const decode = (text: Uint8Array, bytes: Uint8Array): boolean => {
  if (latin1Slice === undefined) return false
  // Buffer takes the alphabet for URLs, too.
  if (!hasNative && (indexOf(text, minus) !== -1 || indexOf(text, underscore) !== -1)) return false
  let at = 0
  for (let from = 0; from < text.length; from += pieceLength) {
    const piece = latin1Slice.call(text, from, Math.min(from + pieceLength, text.length))
    const expected = Math.min((piece.length / 4) * 3, bytes.length - at)
    if (write(piece, bytes, at) !== expected) return false
    at += expected
  }
  return endsAlike(text, bytes)
}

const paddingOf = (text: Uint8Array): number => (text.at(-1) !== pad ? 0 : text.at(-2) === pad ? 2 : 1)

/** True if the last bytes encode to the last symbols: bits that mean nothing have to be 0. */
const endsAlike = (text: Uint8Array, bytes: Uint8Array): boolean => {
  const last = utf8.encode(toBase64(bytes.subarray(bytes.length - (3 - paddingOf(text)))))
  return last.every((byte, i) => byte === text[text.length - last.length + i])
}
