import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyText } from "../testing/Texts.ts"
import { HeadTailBuffer } from "./HeadTailBuffer.ts"

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 })

describe("HeadTailBuffer", () => {
  it("keeps the beginning and the end, and counts what lies between", () => {
    fc.assert(
      fc.property(pieces, fc.nat(30), fc.nat(30), (pieces, head, tail) => {
        const buffer = new HeadTailBuffer({ head, tail })
        const ascii = pieces.map((piece) => piece.map((byte) => byte & 0x7f))
        for (const piece of ascii) buffer.push(piece)
        const all = Buffer.concat(ascii).toString("latin1")
        const fits = all.length <= head + tail
        expect(buffer.take(true)).toEqual({
          head: fits ? all : all.slice(0, head),
          tail: fits || tail === 0 ? "" : all.slice(-tail),
          omitted: fits ? 0 : all.length - head - tail,
          total: all.length,
        })
        expect(buffer.take(true).total).toBe(0)
      }),
    )
  })

  it("keeps a character together over two replies, wherever it is split", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 20 }), fc.nat(80), (text, at) => {
        const whole = bytes(text)
        const buffer = new HeadTailBuffer()
        buffer.push(whole.subarray(0, at))
        const first = buffer.take(false)
        buffer.push(whole.subarray(at))
        const second = buffer.take(true)
        expect(first.head + second.head).toBe(text)
        expect(first.head).not.toContain("\ufffd")
        expect(first.total + second.total).toBe(whole.length)
      }),
      { numRuns: 30 },
    )
  })

  it("shows bytes that are no UTF-8, and a character that never ends", () => {
    const buffer = new HeadTailBuffer()
    buffer.push(new Uint8Array([0xff, 0x61, 0xe2, 0x82]))
    expect(buffer.take(false).head).toBe("\ufffda")
    expect(buffer.take(true)).toMatchObject({ head: "\ufffd", total: 2 })
  })

  it("drops whole characters where it drops", () => {
    const buffer = new HeadTailBuffer({ head: 4, tail: 4 })
    buffer.push(bytes("éé漢漢éé".replace("éé", "éaé")))
    const { head, tail, omitted, total } = buffer.take(true)
    expect([head, tail]).toEqual(["éa", "éé"])
    expect(omitted).toBe(total - 7)
  })
})
