/** Output with the time at the begin of each line, for each stream on its own. */
import { concat, utf8 } from "../protocol/Bytes.ts"

export interface LineStamps {
  /** The next piece of a stream, printed at a time in milliseconds since 1970. */
  readonly add: (stream: string, bytes: Uint8Array, millis: number) => Uint8Array
}

const newline = 0x0a

/** No line has begun. */
export const make = (): LineStamps => {
  const inLine = new Set<string>()
  return {
    add: (stream, bytes, millis) => {
      const stamp = utf8.encode(`${new Date(millis).toISOString()} `)
      const parts: Array<Uint8Array> = []
      for (let at = 0; at < bytes.length;) {
        const end = bytes.indexOf(newline, at)
        const next = end < 0 ? bytes.length : end + 1
        if (!inLine.has(stream)) parts.push(stamp)
        parts.push(bytes.subarray(at, next))
        if (end < 0) inLine.add(stream)
        else inLine.delete(stream)
        at = next
      }
      return concat(parts)
    },
  }
}
