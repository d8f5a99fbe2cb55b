/** Lines of several sources on one screen: each line with its source in front, and never parts of two in one line. */
import { concat, utf8 } from "../../../../core/protocol/Bytes.ts"

/** Lines of one source. */
export interface Prefixed {
  /** The next piece of a stream: all lines that are whole now. */
  readonly add: (stream: string, bytes: Uint8Array) => Uint8Array
  /** What has no end, with one. */
  readonly rest: (stream: string) => Uint8Array
}

const newline = Uint8Array.of(0x0a)

/** The most bytes that wait for the end of their line, which has one then. */
const longest = 64 * 1024

/** No line has begun. */
export const make = (prefix: string): Prefixed => {
  const begin = utf8.encode(prefix)
  const waiting = new Map<string, Uint8Array>()
  const add: Prefixed["add"] = (stream, bytes) => {
    const all = concat([waiting.get(stream) ?? new Uint8Array(), bytes])
    const parts: Array<Uint8Array> = []
    let at = 0
    for (let end = all.indexOf(0x0a); end >= 0; end = all.indexOf(0x0a, at)) {
      parts.push(begin, all.subarray(at, end + 1))
      at = end + 1
    }
    for (; all.length - at >= longest; at += longest)
      parts.push(begin, all.subarray(at, at + longest), newline)
    waiting.set(stream, all.slice(at))
    return concat(parts)
  }
  const rest: Prefixed["rest"] = (stream) =>
    (waiting.get(stream)?.length ?? 0) === 0 ? new Uint8Array() : add(stream, newline)
  return { add, rest }
}
