/** Counts and finds the ends of lines, four bytes at a time where that is possible. */

/** `\n`. */
export const lineEnd = 0x0a

/** How many lines end in these bytes. */
export const count = (bytes: Uint8Array): number => {
  const head = Math.min(bytes.length, -bytes.byteOffset & 3)
  const words = (bytes.length - head) >>> 2
  const tail = head + words * 4
  let found = single(bytes, 0, head) + single(bytes, tail, bytes.length)
  if (words === 0) return found
  const view = new Int32Array(bytes.buffer, bytes.byteOffset + head, words)
  for (let at = 0; at < words;) {
    // Each byte of `ends` counts up to 255.
    const stop = Math.min(words, at + 255)
    let ends = 0
    for (; at < stop; at++) {
      // A byte of `other` is zero where there is an end of a line.
      const other = (view[at] ?? 0) ^ 0x0a0a0a0a
      ends += (~(((other & 0x7f7f7f7f) + 0x7f7f7f7f) | other | 0x7f7f7f7f) >>> 7) & 0x01010101
    }
    found += (ends & 0xff) + ((ends >>> 8) & 0xff) + ((ends >>> 16) & 0xff) + (ends >>> 24)
  }
  return found
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
