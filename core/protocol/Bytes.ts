/**
 * Bytes on the wire: standard padded base64 inside JSON strings, and the UTF-8 of the messages.
 *
 * The fastest converter of the platform is selected once, here: `Uint8Array#toBase64` where it exists (Bun, Deno,
 * Node 25 and later), `Buffer` on older Node, otherwise a pure fallback.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { MemoryPool } from "./MemoryPool.ts"

type Find = (this: Uint8Array, byte: number, from?: number) => number

interface NodeBuffer {
  readonly prototype: { readonly indexOf: Find; readonly lastIndexOf: Find }
  from(data: ArrayBufferLike, offset: number, length: number): { toString(encoding: "base64"): string }
  from(data: string, encoding: "base64"): Uint8Array
}

interface Platform {
  readonly Buffer?: NodeBuffer
  readonly Deno?: unknown
  readonly TextEncoder: new () => {
    encode(text: string): Uint8Array
    encodeInto(text: string, into: Uint8Array): { read: number; written: number }
  }
  readonly TextDecoder: new (
    label: "utf-8",
    options?: { fatal?: boolean; ignoreBOM?: boolean },
  ) => {
    decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
  }
}

interface WithBase64 extends Uint8Array {
  toBase64(): string
}

interface FromBase64 {
  fromBase64(text: string, options: { lastChunkHandling: "strict" }): Uint8Array
}

const platform = globalThis as unknown as Platform
const nativeFrom = "fromBase64" in Uint8Array ? (Uint8Array as unknown as FromBase64) : undefined

/** The UTF-8 encoder of core. */
export const utf8 = new platform.TextEncoder()

/** A decoder that throws on invalid UTF-8 and keeps a byte order mark, so that the JSON reader rejects it. */
export const strictUtf8Decoder = () => new platform.TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** A decoder for display: invalid UTF-8 becomes U+FFFD; with `stream` a character may be split over two chunks. */
export const utf8Decoder = () => new platform.TextDecoder("utf-8", { ignoreBOM: true })

/** Bytes as standard padded base64. */
export const toBase64: (bytes: Uint8Array) => string =
  "toBase64" in Uint8Array.prototype
    ? (bytes) => (bytes as WithBase64).toBase64()
    : platform.Buffer !== undefined
      ? (
          (buffer) => (bytes: Uint8Array) =>
            buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
        )(platform.Buffer)
      : (bytes) => Base64.encode(bytes)

/** Node's own methods look at 20 bytes in the time that those of the engine take for one; Deno's are the slower ones. */
const find = platform.Buffer === undefined || platform.Deno !== undefined ? Uint8Array : platform.Buffer
const first: Find = find.prototype.indexOf
const last: Find = find.prototype.lastIndexOf

/** Index of the first such byte, from `from` on; -1 if there is none. */
export const indexOf = (bytes: Uint8Array, byte: number, from = 0): number => first.call(bytes, byte, from)

/** Index of the last such byte; -1 if there is none. */
export const lastIndexOf = (bytes: Uint8Array, byte: number): number => last.call(bytes, byte)

/** The pieces joined; a single piece is returned without a copy. */
export const concat = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Decodes strict base64 (standard alphabet, padded, no white space). A failure is the text of the error. */
export const fromBase64 = (text: string): Result.Result<Uint8Array, string> => {
  const bytes = decodeLoosely(text)
  // Only strict base64 encodes back to the same text. Comparing is much cheaper than checking the grammar.
  return bytes !== undefined && toBase64(bytes) === text ? Result.succeed(bytes) : Result.fail(fault(text))
}

const decodeLoosely = (text: string): Uint8Array | undefined => {
  if (platform.Buffer !== undefined && nativeFrom === undefined) {
    const { buffer, byteOffset, length } = platform.Buffer.from(text, "base64")
    return new Uint8Array(buffer, byteOffset, length) // a Buffer's `slice` would not copy
  }
  try {
    return nativeFrom === undefined
      ? Result.getOrUndefined(Base64.decode(text))
      : nativeFrom.fromBase64(text, { lastChunkHandling: "strict" })
  } catch {
    return undefined
  }
}

const alphabet = new Set(utf8.encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
const pad = 0x3d

/**
 * The fault of a text that is not strict base64, in the words of the peer implementation. Offsets are bytes of UTF-8. A
 * symbol too many at the end comes first, then faults before the last four symbols, then faults in them.
 */
const fault = (text: string): string => {
  const bytes = utf8.encode(text)
  const isWrong = (at: number) => !alphabet.has(bytes[at] ?? 0)
  const wrong = (at: number) => `Invalid symbol ${bytes[at] ?? 0}, offset ${at}.`
  const end = bytes.length - 1
  if (bytes.length % 4 === 1 && bytes[end] !== pad && isWrong(end)) return wrong(end)
  const tail = end - (end % 4)
  for (let at = 0; at < tail; at += 1) if (isWrong(at)) return wrong(at)
  let symbols = tail
  for (let at = tail; at <= end; at += 1) {
    if (bytes[at] === pad && at - tail >= 2) continue
    if (symbols < at) return wrong(symbols) // padding before this symbol
    if (isWrong(at)) return wrong(at)
    symbols += 1
  }
  if (symbols - tail < 2) return `Invalid input length: ${symbols}`
  return bytes.length % 4 === 0
    ? `Invalid last symbol ${bytes[symbols - 1] ?? 0}, offset ${symbols - 1}.`
    : "Invalid padding"
}

interface Base64Platform {
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
const [minus, underscore, padByte] = [0x2d, 0x5f, 0x3d]

/** Bytes that become one string of base64: a multiple of three. */
const encodedAtOnce = (pieceLength / 4) * 3

const noMethods: { latin1Slice?: never; base64Write?: never; base64Slice?: never; latin1Write?: never } = {}
const { latin1Slice, base64Write, base64Slice, latin1Write } =
  (globalThis as unknown as Base64Platform).Buffer?.prototype ?? noMethods
const hasNative = "setFromBase64" in Uint8Array.prototype

/** Decodes a piece to `bytes`, and returns how many there are: fewer than its symbols mean if one is no symbol. */
const writePiece = (piece: string, bytes: Uint8Array, at: number): number => {
  if (!hasNative) return base64Write?.call(bytes, piece, at, bytes.length - at) ?? 0
  try {
    return (bytes.subarray(at) as unknown as Settable).setFromBase64(piece, { lastChunkHandling: "strict" })
      .written
  } catch {
    return 0
  }
}

/** Writes bytes as base64 to `into`, from `at` on. */
const encodePiece: (bytes: Uint8Array, into: Uint8Array, at: number) => void =
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
export const withinText = (
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
  encodePiece(bytes, text, from)
  text.set(tail, length - tail.length)
  return text
}

/** False where there is no fast way. */
export const decodesBytes = latin1Slice !== undefined && (hasNative || base64Write !== undefined)

/** Length of the bytes that padded base64 encodes. Undefined if the text has no length of padded base64. */
export const base64Length = (text: Uint8Array): number | undefined =>
  text.length % 4 === 0 ? (text.length / 4) * 3 - paddingOf(text) : undefined

/** Decodes to `bytes`, which has that length. False if the text is not strict base64. */
export const decodeBase64 = (text: Uint8Array, bytes: Uint8Array): boolean => {
  if (latin1Slice === undefined) return false
  // Buffer takes the alphabet for URLs, too.
  if (!hasNative && (indexOf(text, minus) !== -1 || indexOf(text, underscore) !== -1)) return false
  let at = 0
  for (let from = 0; from < text.length; from += pieceLength) {
    const piece = latin1Slice.call(text, from, Math.min(from + pieceLength, text.length))
    const expected = Math.min((piece.length / 4) * 3, bytes.length - at)
    if (writePiece(piece, bytes, at) !== expected) return false
    at += expected
  }
  return endsAlike(text, bytes)
}

const paddingOf = (text: Uint8Array): number =>
  text.at(-1) !== padByte ? 0 : text.at(-2) === padByte ? 2 : 1

/** True if the last bytes encode to the last symbols: bits that mean nothing have to be 0. */
const endsAlike = (text: Uint8Array, bytes: Uint8Array): boolean => {
  const last = utf8.encode(toBase64(bytes.subarray(bytes.length - (3 - paddingOf(text)))))
  return last.every((byte, i) => byte === text[text.length - last.length + i])
}
