// Hears the texts of one direction of a WebSocket from its bytes, which somebody else passes on untouched.

const unmask = (payload, mask) => {
  const plain = Buffer.from(payload)
  for (let at = 0; at < plain.length; at += 1) plain[at] ^= mask[at % 4]
  return plain
}

/** The first whole frame, and where it ends; undefined as long as it is not whole. */
const frameOf = (bytes) => {
  if (bytes.length < 2) return undefined
  const short = bytes[1] & 127
  const wide = short === 127 ? 8 : short === 126 ? 2 : 0
  const masked = bytes[1] > 127
  const start = 2 + wide + (masked ? 4 : 0)
  if (bytes.length < start) return undefined
  const length = wide === 8 ? Number(bytes.readBigUInt64BE(2)) : wide === 2 ? bytes.readUInt16BE(2) : short
  const end = start + length
  if (bytes.length < end) return undefined
  const payload = bytes.subarray(start, end)
  return {
    final: bytes[0] > 127,
    kind: bytes[0] & 15,
    payload: masked ? unmask(payload, bytes.subarray(start - 4, start)) : payload,
    end,
  }
}

/** A function to be given every byte of the direction, handshake included; it calls back with each text. */
export const ear = (heard) => {
  let rest = Buffer.alloc(0)
  let open = false
  let parts = []
  return (bytes) => {
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
}
