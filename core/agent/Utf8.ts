/** Finds character borders in UTF-8 bytes. A malformed byte counts as a character of its own. */

/** True for every byte of a character but its first. */
export const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80

/** The bytes at the end that begin an incomplete character. */
export const unfinished = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    const length = byte >= 0xf5 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}

/** The bytes at the beginning that are the rest of a character. */
export const continued = (bytes: Uint8Array): number => {
  let count = 0
  while (count < 3 && isContinuation(bytes[count])) count += 1
  return count
}
