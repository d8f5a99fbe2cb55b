/** Counts and finds the ends of lines. */
import * as LineCounter from "./LineCounter.ts"

/** `\n`. */
export const lineEnd = 0x0a

/** A call of the counter takes as long as a loop over so many bytes. */
const fewBytes = 128

const slow: LineCounter.LineCounter = (bytes) => single(bytes, 0, bytes.length)

let counter: LineCounter.LineCounter = (bytes) => {
  counter = LineCounter.make() ?? slow
  return counter(bytes)
}

/** The number of lines that end in these bytes. */
export const count = (bytes: Uint8Array): number => {
  if (bytes.length < fewBytes) return slow(bytes)
  const whole = bytes.length & ~15
  return counter(bytes.subarray(0, whole)) + single(bytes, whole, bytes.length)
}

const single = (bytes: Uint8Array, from: number, to: number): number => {
  let found = 0
  for (let at = from; at < to; at++) if (bytes[at] === lineEnd) found += 1
  return found
}

/** The place behind the end of the `n`th line in these bytes, from 1; undefined if so many do not end there. */
export const behind = (bytes: Uint8Array, n: number): number | undefined => {
  let at = 0
  for (let left = n; left > 0; left--) {
    const end = bytes.indexOf(lineEnd, at)
    if (end === -1) return undefined
    at = end + 1
  }
  return at
}
