import { describe, expect, it } from "vitest"
import * as WebSocketFrames from "./WebSocketFrames.ts"

describe("WebSocketFrames", () => {
  it("writes the shortest header for every length", () => {
    expect([...WebSocketFrames.textHeader(0)]).toEqual([0x81, 0])
    expect([...WebSocketFrames.textHeader(125)]).toEqual([0x81, 125])
    expect([...WebSocketFrames.textHeader(126)]).toEqual([0x81, 126, 0, 126])
    expect([...WebSocketFrames.textHeader(65_535)]).toEqual([0x81, 126, 255, 255])
    expect([...WebSocketFrames.textHeader(65_536)]).toEqual([0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0])
  })
})
