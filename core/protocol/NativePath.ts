/**
 * Native paths as text: also those whose bytes are no UTF-8.
 *
 * A path is a string; each byte of it that belongs to no UTF-8 character is the lone surrogate U+DC00 + byte
 * (U+DC80 to U+DCFF), which no text of the wire can hold. So every name of a POSIX system has a string of its
 * own and gets its bytes back.
 */
import { concat, strictUtf8Decoder, utf8, utf8Decoder } from "./Bytes.ts"

const strange = /(?<![\ud800-\udbff])[\udc80-\udcff]/

/** False if some bytes of the path are no UTF-8. */
export const isText = (path: string): boolean => !strange.test(path)

/** The bytes that the operating system knows the path by. */
export const toBytes = (path: string): Uint8Array => {
  if (isText(path)) return utf8.encode(path)
  const parts = pieces(path).map((piece) =>
    strange.test(piece) ? Uint8Array.of(piece.charCodeAt(0) - base) : utf8.encode(piece),
  )
  return concat(parts)
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

/** The path for people and for JSON: U+FFFD for what is no UTF-8. */
export const toText = (path: string): string => (isText(path) ? path : utf8Decoder().decode(toBytes(path)))

/** The parts of a path: characters that are text, and strange bytes one by one. */
export const pieces = (path: string): ReadonlyArray<string> =>
  path.split(/((?<![\ud800-\udbff])[\udc80-\udcff])/).filter((piece) => piece !== "")

/** Orders names by their bytes. */
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
