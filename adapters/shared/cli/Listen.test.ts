import { describe, expect, it } from "vitest"
import * as Listen from "./Listen.ts"

describe("Listen", () => {
  it.each(["stdio", "stdio://"])("takes %s", (text) => expect(Listen.parse(text)).toEqual({ kind: "stdio" }))

  it("takes literal addresses of both families", () => {
    expect(Listen.parse("ws://127.0.0.1:0")).toEqual({ kind: "ws", host: "127.0.0.1", port: 0 })
    expect(Listen.parse("ws://[::1]:65535")).toEqual({ kind: "ws", host: "::1", port: 65_535 })
  })

  it.each(["off", "unix:/x", "wss://127.0.0.1:1", "WS://127.0.0.1:1", "http://x", ""])(
    "says that it does not support %j",
    (text) => {
      expect(() => Listen.parse(text)).toThrow(
        `unsupported --listen URL \`${text}\`; expected \`ws://IP:PORT\` or \`stdio\``,
      )
    },
  )

  it.each([
    "ws://localhost:1",
    "ws://127.0.0.1",
    "ws://127.0.0.1:1/x",
    "ws://127.0.0.1:65536",
    "ws://300.0.0.1:1",
    "ws://",
  ])("refuses the address in %j", (text) => {
    expect(() => Listen.parse(text)).toThrow(
      `invalid websocket --listen URL \`${text}\`; expected \`ws://IP:PORT\``,
    )
  })
})
