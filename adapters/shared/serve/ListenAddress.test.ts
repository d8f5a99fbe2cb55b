import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as ListenAddress from "./ListenAddress.ts"

const parse = (text: string) => Effect.runSync(ListenAddress.parse(text))
const parseAll = (texts: ReadonlyArray<string>) => Effect.runSync(ListenAddress.parseAll(texts))
const refusal = (text: string) => Effect.runSync(Effect.flip(ListenAddress.parse(text))).message

describe("a --listen address", () => {
  it.each(["stdio", "stdio://"])("takes %s", (text) => expect(parse(text)).toEqual({ kind: "stdio" }))

  it("takes literal addresses of both families", () => {
    expect(parse("ws://127.0.0.1:0")).toEqual({ kind: "ws", host: "127.0.0.1", port: 0 })
    expect(parse("ws://[::1]:65535")).toEqual({ kind: "ws", host: "::1", port: 65_535 })
  })

  it("takes paths and sockets, several at once and in order", () => {
    expect(parseAll(["unix:/run/a b%20.sock", "stdio", "tcp://127.0.0.1:0", "unix:x"])).toEqual([
      { kind: "unix", path: "/run/a b%20.sock" },
      { kind: "stdio" },
      { kind: "tcp", host: "127.0.0.1", port: 0 },
      { kind: "unix", path: "x" },
    ])
    expect(parse("unix:///run/x")).toEqual({ kind: "unix", path: "/run/x" })
    expect(parse("tcp://[::1]:1")).toEqual({ kind: "tcp", host: "::1", port: 1 })
    expect(parseAll([ListenAddress.defaultAddress])).toEqual([{ kind: "ws", host: "127.0.0.1", port: 0 }])
    expect(() => parseAll(["stdio", "stdio://"])).toThrow("--listen stdio may be given only once")
  })

  it.each(["tcp://localhost:1", "tcp:127.0.0.1:1", "tcp://127.0.0.1", "tcp://127.0.0.1:1/x", "tcp://[1]:1"])(
    "refuses the socket in %j",
    (text) => {
      expect(refusal(text)).toBe(`invalid tcp --listen URL \`${text}\`; expected \`tcp://IP:PORT\``)
    },
  )

  it.each(["unix:", "unix://", "unix://run/x", "unix:a\0b"])("refuses the path in %j", (text) => {
    expect(refusal(text)).toBe(`invalid unix --listen URL \`${text}\`; expected \`unix:PATH\``)
  })

  it.each(["off", "tls://127.0.0.1:1", "wss://127.0.0.1:1", "WS://127.0.0.1:1", "http://x", ""])(
    "says that it does not support %j",
    (text) => {
      expect(refusal(text)).toBe(
        `unsupported --listen URL \`${text}\`; expected \`ws://IP:PORT\` or \`stdio\`, or \`tcp://IP:PORT\`, \`unix:PATH\` or \`systemd\``,
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
    expect(refusal(text)).toBe(`invalid websocket --listen URL \`${text}\`; expected \`ws://IP:PORT\``)
  })
})
