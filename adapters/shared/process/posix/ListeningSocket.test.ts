import { describe, expect, it } from "vitest"
import * as ListeningSocket from "./ListeningSocket.ts"

describe("a socket that listens", () => {
  it("is bound to an address of either family, or to a name", () => {
    const decode = (...bytes: ReadonlyArray<number>) => ListeningSocket.decode(Uint8Array.from(bytes))
    expect(decode(2, 0, 0x1b, 0x58, 127, 0, 0, 1)).toEqual({ kind: "tcp", host: "127.0.0.1", port: 7000 })
    const loopback = [...Array.from({ length: 15 }, () => 0), 1]
    expect(decode(10, 0, 0x1b, 0x58, 0, 0, 0, 0, ...loopback, 0, 0, 0, 0)).toEqual({
      kind: "tcp",
      host: "::1",
      port: 7000,
    })
    expect(decode(1, 0, 0, ...Buffer.from("name"))).toEqual({ kind: "unix", path: "@name", open: true })
    expect(decode(1, 0, ...Buffer.from("/nowhere/x\0"))).toEqual({
      kind: "unix",
      path: "/nowhere/x",
      open: false,
    })
    expect(decode(16, 0, 0, 0)).toBeUndefined()
  })
})
