/** Messages of SSH as bytes: frames of a length and fields, which are numbers, flags and texts (RFC 4251). */

/** A field: a number of 32 bits, a flag, or a text with its length. */
export type Field = number | boolean | string | Uint8Array

/** A frame: its length, the bytes of `head` and the fields. */
export const encode = (head: ReadonlyArray<number>, fields: ReadonlyArray<Field>): Buffer => {
  const parts = fields.map(encodeField)
  const body = Buffer.concat([Buffer.from(head), ...parts])
  return Buffer.concat([u32(body.length), body])
}

const encodeField = (field: Field): Buffer => {
  if (typeof field === "number") return u32(field)
  if (typeof field === "boolean") return Buffer.from([field ? 1 : 0])
  const bytes = Buffer.from(field as string)
  return Buffer.concat([u32(bytes.length), bytes])
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

/** Reads the fields of a frame one after the other. What is not there reads as 0, false or nothing. */
export interface Reader {
  readonly byte: () => number
  readonly number: () => number
  readonly bytes: () => Buffer
  readonly text: () => string
}

/** A reader of this frame, whose length has been taken off. */
export const reader = (frame: Buffer): Reader => {
  let at = 0
  const take = (length: number): Buffer => {
    at += length
    return frame.subarray(at - length, at)
  }
  const number = () => (at + 4 > frame.length ? 0 : take(4).readUInt32BE())
  const bytes = () => take(number())
  return { byte: () => take(1)[0] ?? 0, number, bytes, text: () => bytes().toString() }
}

/** Cuts what arrives into frames. A frame is valid during the call. */
export const cutter = (onFrame: (frame: Buffer) => void): ((bytes: Buffer) => void) => {
  let kept: Buffer = Buffer.alloc(0)
  return (bytes) => {
    const all = kept.length === 0 ? bytes : Buffer.concat([kept, bytes])
    let at = 0
    while (all.length - at >= 4) {
      const end = at + 4 + all.readUInt32BE(at)
      if (end > all.length) break
      onFrame(all.subarray(at + 4, end))
      at = end
    }
    // A copy, so that a few bytes do not hold the buffer that they came in.
    kept = Buffer.from(all.subarray(at))
  }
}
