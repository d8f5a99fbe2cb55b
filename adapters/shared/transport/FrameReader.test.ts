import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FrameReader } from "./FrameReader.ts"
import * as WebSocketFrames from "./WebSocketFrames.ts"

interface Frame {
  readonly first: number
  readonly payload: Uint8Array
  readonly mask: ReadonlyArray<number>
}

const headerOf = (first: number, length: number, mask: ReadonlyArray<number>) => {
  const header = [...WebSocketFrames.textHeader(length)]
  header[0] = first
  header[1]! |= 0x80
  return [...header, ...mask]
}

const encode = ({ first, payload, mask }: Frame) =>
  Buffer.concat([
    Uint8Array.from(headerOf(first, payload.length, mask)),
    payload.map((byte, i) => byte ^ mask[i % 4]!),
  ])

/**
 * The reports of a reader for bytes that come in pieces of this size; every other message is kept. From the byte
 * `passing` on messages are passed on.
 */
const read = (bytes: Uint8Array, size: number, maxMessageBytes = 2 ** 26, passing = Infinity) => {
  const kept: Array<readonly [message: Uint8Array, hex: string]> = []
  const told: Array<readonly [kind: string, payload: string]> = []
  const add = (kind: string) => (payload: Uint8Array) =>
    void told.push([kind, Buffer.from(payload).toString("hex")])
  const reader = new FrameReader(maxMessageBytes, {
    message: (bytes) => {
      const hex = Buffer.from(bytes).toString("hex")
      told.push(["message", hex])
      return told.length % 2 === 0 && kept.push([bytes, hex]) > 0
    },
    ping: add("ping"),
    pong: () => void told.push(["pong", ""]),
    close: () => void told.push(["close", ""]),
  })
  const pass = (parts: ReadonlyArray<Uint8Array>, length: number) => {
    expect(parts.reduce((sum, part) => sum + part.length, 0)).toBe(length)
    add("message")(Buffer.concat(parts))
  }
  for (let at = 0; at < bytes.length; at += size) {
    if (at >= passing) reader.passOn(pass)
    const fault = reader.push(bytes.slice(at, at + size))
    if (fault !== undefined) told.push(["fault", `${fault.reason}: ${fault.message}`])
  }
  for (const [message, hex] of kept) expect(Buffer.from(message).toString("hex")).toBe(hex)
  return told
}

const mask = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 })
const payload = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc
    .constantFrom(125, 126, 127, 4095, 4097, 65_535, 65_536, 70_001)
    .map((length) => new Uint8Array(length).fill(7)),
)
const control = fc.record({
  first: fc.constantFrom(0x89, 0x8a),
  payload: fc.uint8Array({ maxLength: 125 }),
  mask,
})
const part = fc.record({ payload, mask, between: fc.option(control, { nil: undefined }) })
/** A message in frames, with pings and pongs between them. */
const message = fc.record({
  opcode: fc.constantFrom(1, 2),
  parts: fc.array(part, { minLength: 1, maxLength: 4 }),
})

describe("FrameReader", () => {
  it("reads messages in any frames, with any mask, however the bytes are split, and passes them on", () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 4 }),
        fc.integer({ min: 1, max: 70_000 }),
        fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: Infinity }),
        (messages, size, passing) => {
          const expected: Array<readonly [string, string]> = []
          const frames: Array<Frame> = []
          for (const { opcode, parts } of messages) {
            for (const [i, { payload, mask, between }] of parts.entries()) {
              const isLast = i === parts.length - 1
              frames.push({ first: (i === 0 ? opcode : 0) | (isLast ? 0x80 : 0), payload, mask })
              if (isLast)
                expected.push(["message", Buffer.concat(parts.map(({ payload }) => payload)).toString("hex")])
              if (between === undefined) continue
              frames.push(between)
              const isPing = between.first === 0x89
              expected.push(isPing ? ["ping", Buffer.from(between.payload).toString("hex")] : ["pong", ""])
            }
          }
          expect(read(Buffer.concat(frames.map(encode)), size, 2 ** 26, passing)).toEqual(expected)
        },
      ),
    )
  })

  const zero = [0, 0, 0, 0]
  const whole = (first: number, length: number) =>
    encode({ first, payload: new Uint8Array(length), mask: zero })
  const invalid = (text: string) => [["fault", `Io: Invalid WebSocket frame: ${text}`]]

  it.each([
    ["a reserved bit", whole(0xc1, 1), invalid("RSV1, RSV2 and RSV3 must be clear")],
    ["an unknown opcode", whole(0x83, 1), invalid("invalid opcode 3")],
    ["an unknown control frame", whole(0x8b, 1), invalid("invalid opcode 11")],
    ["a continuation of nothing", whole(0x80, 1), invalid("invalid opcode 0")],
    [
      "a message within another",
      Buffer.concat([whole(0x01, 1), whole(0x81, 1)]),
      invalid("invalid opcode 1"),
    ],
    ["no mask", Uint8Array.of(0x81, 0), invalid("MASK must be set")],
    ["a control frame in parts", whole(0x09, 1), invalid("FIN must be set")],
    ["a long control frame", whole(0x89, 126), invalid("invalid payload length 126")],
    [
      "a short one with a long length",
      Uint8Array.of(0x89, 0xfe, 0, 1, 0, 0, 0, 0, 9),
      invalid("invalid payload length 1"),
    ],
    ["half of a close code", whole(0x88, 1), invalid("invalid payload length 1")],
  ])("tells a breach, and reads nothing behind it: %s", (_, bytes, expected) => {
    expect(read(Buffer.concat([bytes, whole(0x81, 2)]), bytes.length)).toEqual(expected)
  })

  it("tells a message over the limit and a frame over 16 MiB by their headers", () => {
    const header = (first: number, length: number) => Uint8Array.from(headerOf(first, length, zero))
    const tooLarge = [["fault", expect.stringContaining("MessageTooLarge")]]
    expect(read(header(0x81, 101), 5, 100)).toEqual(tooLarge)
    expect(read(Buffer.concat([whole(0x01, 60), header(0x80, 41)]), 7, 100)).toEqual(tooLarge)
    expect(read(Buffer.concat([whole(0x01, 60), header(0x80, 41)]), 7, 100, 0)).toEqual(tooLarge)
    expect(read(header(0x81, 2 ** 24), 5)).toEqual([])
    expect(read(header(0x81, 2 ** 24 + 1), 5)).toEqual([
      ["fault", "MessageTooLarge: frame is longer than 16 MiB"],
    ])
  })

  it("joins the parts of a message that comes byte by byte", () => {
    const reader = new FrameReader(2 ** 26, {
      message: () => false,
      ping: () => {},
      pong: () => {},
      close: () => {},
    })
    const passed: Array<number> = []
    reader.passOn((parts) => void passed.push(parts.length))
    for (const byte of whole(0x81, 10_000)) reader.push(Uint8Array.of(byte))
    expect(passed).toEqual([156 + 16])
  })

  it("reads nothing behind a Close frame", () => {
    expect(read(Buffer.concat([whole(0x81, 1), whole(0x88, 0), whole(0x81, 1)]), 3)).toEqual([
      ["message", "00"],
      ["close", ""],
    ])
  })
})
