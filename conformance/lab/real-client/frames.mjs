// @ts-check
// Reads the texts of one direction of a WebSocket from its bytes, which somebody else passes on untouched.

/** @typedef {{ final: boolean, kind: number, payload: Buffer, end: number }} Frame `end`: the bytes that it takes */

/** @param {Buffer} payload @param {Buffer} mask of four bytes */
const unmask = (payload, mask) => Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)))

/** The first frame; undefined as long as it is not complete. @param {Buffer} bytes @returns {Frame | undefined} */
const frameOf = (bytes) => {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return undefined
  const short = second & 127
  const wide = short === 127 ? 8 : short === 126 ? 2 : 0
  const masked = second > 127
  const start = 2 + wide + (masked ? 4 : 0)
  if (bytes.length < start) return undefined
  const length = wide === 8 ? Number(bytes.readBigUInt64BE(2)) : wide === 2 ? bytes.readUInt16BE(2) : short
  const end = start + length
  if (bytes.length < end) return undefined
  const payload = bytes.subarray(start, end)
  return {
    final: first > 127,
    kind: first & 15,
    payload: masked ? unmask(payload, bytes.subarray(start - 4, start)) : payload,
    end,
  }
}

/**
 * A function that takes every byte of the direction, handshake included, and calls back with each text.
 * @param {(text: string) => void} heard
 */
export const ear = (heard) => {
  let rest = Buffer.alloc(0)
  let open = false
  /** @type {Buffer[]} */
  let parts = []
  /** @param {Buffer} bytes */
  const hear = (bytes) => {
    rest = Buffer.concat([rest, bytes])
    if (!open) {
      const end = rest.indexOf("\r\n\r\n")
      if (end < 0) return
      open = true
      rest = rest.subarray(end + 4)
    }
    for (let frame = frameOf(rest); frame !== undefined; frame = frameOf(rest)) {
      rest = rest.subarray(frame.end)
      if (frame.kind > 2) continue
      parts.push(frame.payload)
      if (!frame.final) continue
      heard(Buffer.concat(parts).toString())
      parts = []
    }
  }
  return hear
}
