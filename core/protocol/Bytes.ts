/**
 * Bytes on the wire: standard padded base64 inside JSON strings, and the UTF-8 of the messages.
 *
 * The fastest converter of the platform is selected once, here: `Uint8Array#toBase64` where it exists (Bun, Deno,
 * Node 25 and later), `Buffer` on older Node, otherwise a pure fallback.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

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

/** Where a byte is for the first time, from `from` on; -1 if it is not. */
export const indexOf = (bytes: Uint8Array, byte: number, from = 0): number => first.call(bytes, byte, from)

/** Where a byte is for the last time; -1 if it is not. */
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
 * Why a text is not strict base64, in the words of the peer implementation. Offsets are bytes of UTF-8. A symbol too
 * many at the end is told first, then what is wrong before the last four symbols, then what is wrong in them.
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
