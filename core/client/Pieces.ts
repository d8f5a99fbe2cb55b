/** Cuts what is written to a process into pieces that fit one request. */

/** The most bytes of one write on the wire: 256 KiB. */
export const maxWriteBytes = 256 * 1024

export const pieces = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  if (bytes.length <= maxWriteBytes) return [bytes]
  const count = Math.ceil(bytes.length / maxWriteBytes)
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * maxWriteBytes, (i + 1) * maxWriteBytes))
}
