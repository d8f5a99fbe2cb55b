/**
 * Bytes on the wire: standard padded base64 inside JSON strings, UTF-8 around them.
 *
 * Which of the platform's converters is fastest is decided once, here: `Uint8Array#toBase64` where it
 * exists (Bun, Deno, Node 25 and later), `Buffer` on older Node; the pure fallback serves anything else.
 */
import * as Encoding from "effect/Encoding"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

interface NodeBuffer {
  from(data: ArrayBufferLike, offset: number, length: number): { toString(encoding: "base64"): string }
  from(data: string, encoding: "base64"): Uint8Array
}

interface Platform {
  readonly Buffer?: NodeBuffer
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

/** UTF-8 encoder shared by everything in core. */
export const utf8 = new platform.TextEncoder()

/** A decoder that refuses broken UTF-8 and keeps a byte order mark, which is then no JSON. */
export const strictUtf8Decoder = () => new platform.TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** A decoder for people: broken UTF-8 becomes U+FFFD, a character split over two chunks is kept whole. */
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
      : (bytes) => Encoding.encodeBase64(bytes)

/** The pieces as one; a single piece is answered as it is. */
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

/** Lays bytes as base64, behind a text that is ASCII, between what is already UTF-8, without ever joining a string. */
export const withBase64 = (
  head: Uint8Array,
  middle: string,
  bytes: Uint8Array,
  tail: Uint8Array,
): Uint8Array => {
  const base64 = toBase64(bytes)
  const text = new Uint8Array(head.length + middle.length + base64.length + tail.length)
  text.set(head)
  let at = head.length
  at += utf8.encodeInto(middle, text.subarray(at)).written
  at += utf8.encodeInto(base64, text.subarray(at)).written
  text.set(tail, at)
  return text
}

/** Decodes strict base64 (standard alphabet, padded, no white space), or says what is wrong with it. */
export const fromBase64 = (text: string): Either.Either<Uint8Array, string> => {
  const bytes = decodeLoosely(text)
  // What is strict base64 encodes back to the same text; that is much cheaper to see than its grammar.
  return bytes !== undefined && toBase64(bytes) === text ? Either.right(bytes) : Either.left(fault(text))
}

/** A base64 string on the wire, bytes in the program. */
export const Base64 = Schema.transformOrFail(Schema.String, Schema.Uint8ArrayFromSelf, {
  strict: true,
  decode: (text, _, ast) =>
    Either.mapLeft(fromBase64(text), (message) => new ParseResult.Type(ast, text, message)),
  encode: (bytes) => ParseResult.succeed(toBase64(bytes)),
}).annotations({ identifier: "Base64", jsonSchema: { type: "string", contentEncoding: "base64" } })

const decodeLoosely = (text: string): Uint8Array | undefined => {
  if (platform.Buffer !== undefined && nativeFrom === undefined) {
    const { buffer, byteOffset, length } = platform.Buffer.from(text, "base64")
    return new Uint8Array(buffer, byteOffset, length) // a Buffer's `slice` would not copy
  }
  try {
    return nativeFrom === undefined
      ? Either.getOrUndefined(Encoding.decodeBase64(text))
      : nativeFrom.fromBase64(text, { lastChunkHandling: "strict" })
  } catch {
    return undefined
  }
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** What is wrong with a text that is not strict base64, in the words of the peer implementation. */
const fault = (text: string): string => {
  const stranger = /[^A-Za-z0-9+/=]|=(?=.*[^=])|=(?===)/s.exec(text)
  if (stranger !== null) return invalidSymbol(text, stranger.index)
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  const symbols = text.length - padding
  if (padding > 0 && symbols % 4 < 2) return invalidSymbol(text, symbols)
  if (symbols % 4 === 1) return `Invalid input length: ${symbols}`
  if (text.length % 4 !== 0) return "Invalid padding"
  const last = text.charAt(symbols - 1)
  return alphabet.includes(last)
    ? `Invalid last symbol ${last.charCodeAt(0)}, offset ${symbols - 1}.`
    : "Invalid padding"
}

const invalidSymbol = (text: string, at: number): string =>
  `Invalid symbol ${utf8.encode(text.slice(at, at + 2))[0] ?? 0}, offset ${at}.`
