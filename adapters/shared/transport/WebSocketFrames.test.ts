import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as WebSocketFrames from "./WebSocketFrames.ts"

const masked = (length: number) => {
  const header = [...WebSocketFrames.textHeader(length)]
  header[1]! |= 0x80
  return Uint8Array.from([...header, 1, 2, 3, 4])
}

const frame = (length: number) => {
  const header = masked(length)
  const bytes = new Uint8Array(header.length + length)
  bytes.set(header)
  bytes.fill(0xff, header.length)
  return bytes
}

describe("WebSocketFrames", () => {
  it("writes the shortest header for every length", () => {
    expect([...WebSocketFrames.textHeader(0)]).toEqual([0x81, 0])
    expect([...WebSocketFrames.textHeader(125)]).toEqual([0x81, 125])
    expect([...WebSocketFrames.textHeader(126)]).toEqual([0x81, 126, 0, 126])
    expect([...WebSocketFrames.textHeader(65_535)]).toEqual([0x81, 126, 255, 255])
    expect([...WebSocketFrames.textHeader(65_536)]).toEqual([0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0])
  })

  it("finds a frame over the limit behind others, however the bytes are split", () => {
    const lengths = fc.array(fc.constantFrom(0, 1, 125, 126, 300, 65_535, 65_536), { maxLength: 5 })
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 70_000 }), fc.boolean(), (before, size, tooLarge) => {
        const last = masked(WebSocketFrames.maxFrameBytes + (tooLarge ? 1 : 0))
        const bytes = Uint8Array.from(Buffer.concat([...before.map(frame), last]))
        const watch = new WebSocketFrames.FrameWatch()
        const answers: Array<boolean> = []
        for (let at = 0; at < bytes.length; at += size)
          answers.push(watch.push(bytes.subarray(at, at + size)))
        expect(answers.includes(false)).toBe(tooLarge)
      }),
    )
  })
})
