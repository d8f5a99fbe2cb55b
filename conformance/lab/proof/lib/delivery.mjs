// @ts-check
// Sends messages the way that TCP and WebSocket allow: cut anywhere, several at once; and frames that no client may
// send.

/**
 * @import { Random } from "./random.mjs"
 * @import { Wire } from "./wires.mjs"
 */

/** WebSocket frames as bytes. Each breaks the protocol, so the server must end the connection. */
export const badFrames = [
  [0xc1, 0x80, 0, 0, 0, 0],
  [0x81, 0x01, 0x78],
  [0x83, 0x80, 0, 0, 0, 0],
  [0x80, 0x80, 0, 0, 0, 0],
  [0x89, 0xfe, 1, 0, 0, 0, 0, 0],
  [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
]

/**
 * Sends one of the bad frames, past the WebSocket library.
 * @param {Random} random
 * @param {Wire} wire
 */
export const sendBadFrame = (random, { ws }) => {
  /** @type {{ _socket?: import("node:net").Socket } | undefined} */
  const inner = /** @type {object | undefined} */ (ws)
  inner?._socket?.write(Buffer.from(random.pick(badFrames)))
}

/** @param {Random} random @param {Wire} wire @param {readonly Buffer[]} messages */
const deliverLines = (random, wire, messages) => {
  const whole = Buffer.concat(messages.flatMap((bytes) => [bytes, Buffer.from("\n")]))
  for (let at = 0; at < whole.length;) {
    const size = random.chance(0.2) ? 1 + random.below(64) : 1 + random.below(whole.length)
    wire.send(whole.subarray(at, at + size))
    at += size
  }
}

/** @param {Random} random @param {NonNullable<Wire["ws"]>} ws @param {readonly Buffer[]} messages */
const deliverFrames = (random, ws, messages) => {
  for (const bytes of messages) {
    if (random.chance(0.05)) {
      const cut = random.below(bytes.length)
      ws.send(bytes.subarray(0, cut), { fin: false, binary: false })
      ws.send(bytes.subarray(cut), { fin: true, binary: false })
    } else ws.send(bytes, { binary: random.chance(0.2) })
  }
}

/** @param {Random} random @param {Wire} wire @param {readonly Buffer[]} messages */
export const deliver = (random, wire, messages) =>
  wire.ws === undefined ? deliverLines(random, wire, messages) : deliverFrames(random, wire.ws, messages)
