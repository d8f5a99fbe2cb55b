/**
 * Native paths as strings, also those whose bytes are not valid UTF-8.
 *
 * Each byte that belongs to no UTF-8 character is kept as the lone surrogate U+DC00 + byte (U+DC80 to U+DCFF), which no
 * text of the wire can contain. So every POSIX path has exactly one string and is restored from it byte for byte.
 */
import { concat, strictUtf8Decoder, utf8, utf8Decoder } from "./Bytes.ts"

const loneByte = /(?<![\ud800-\udbff])[\udc80-\udcff]/

/** False if some bytes of the path are not UTF-8. */
export const isText = (path: string): boolean => !loneByte.test(path)

/** The bytes of the path, for the operating system. */
export const toBytes = (path: string): Uint8Array => {
  if (isText(path)) return utf8.encode(path)
  return concat(
    pieces(path).map((piece) => (isText(piece) ? utf8.encode(piece) : Uint8Array.of(byteOf(piece)))),
  )
}

/** The bytes of the path and a terminating zero, for a function of C. */
export const toCString = (path: string): Uint8Array => {
  const bytes = toBytes(path)
  const text = new Uint8Array(bytes.length + 1)
  text.set(bytes)
  return text
}

/** The path of these bytes. */
export const fromBytes = (bytes: Uint8Array): string => {
  const whole = decode(bytes)
  if (whole !== undefined) return whole
  let text = ""
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] ?? 0
    const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
    const character = decode(bytes.subarray(at, at + length))
    text += character ?? String.fromCharCode(base + lead)
    at += character === undefined ? 1 : length
  }
  return text
}

/** The path for display and for JSON: bytes that are not UTF-8 become U+FFFD. */
export const toText = (path: string): string => (isText(path) ? path : utf8Decoder().decode(toBytes(path)))

/** The path in pieces: runs of text, and each byte that is not UTF-8 alone. */
export const pieces = (path: string): ReadonlyArray<string> =>
  path.split(/((?<![\ud800-\udbff])[\udc80-\udcff])/).filter((piece) => piece !== "")

/** The byte that a piece which is not text stands for. */
export const byteOf = (piece: string): number => piece.charCodeAt(0) - base

/** Orders names by their bytes: negative, 0 or positive. */
export const compare = (a: string, b: string): number => {
  if (ascii.test(a) && ascii.test(b)) return a < b ? -1 : a > b ? 1 : 0
  const [left, right] = [toBytes(a), toBytes(b)]
  for (let at = 0; at < left.length && at < right.length; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

const base = 0xdc00
// oxlint-disable-next-line no-control-regex -- all of ASCII
const ascii = /^[\0-\x7f]*$/

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return strictUtf8Decoder().decode(bytes)
  } catch {
    return undefined
  }
}
