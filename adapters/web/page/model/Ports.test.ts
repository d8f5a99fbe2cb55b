import { describe, expect, it } from "vitest"
import * as Ports from "./Ports.ts"

describe("Ports", () => {
  it("finds the port that a server has printed last", () => {
    for (const [text, port] of [
      ["Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...", 8000],
      ["http://localhost:5173/ is in use\nhttp://localhost:5174/", 5174],
      ["listening on [::]:80, http://[::1]:81", 81],
      ["connected to 10.0.0.1:22 and example.org:443", undefined],
      ["127.0.0.1:1234567", undefined],
      ["", undefined],
    ] as const)
      expect(Ports.lastIn(text)).toBe(port)
  })

  it("leads to another host than that of the page, which has a cookie for all its ports", () => {
    const way = { host: "127.0.0.1", port: 41_237 }
    for (const host of ["localhost", "procwire.localhost", "[::1]", "127.0.0.2"])
      expect(Ports.urlOf(host, way)).toBe("http://127.0.0.1:41237/")
    expect(Ports.urlOf("127.0.0.1", way)).toBe("http://localhost:41237/")
  })

  it("leads nowhere from a page of another machine", () => {
    for (const host of ["ci.example", "10.0.0.1", "127.0.0.1.example", "localhost.example", "notlocalhost"])
      expect(Ports.urlOf(host, { host: "127.0.0.1", port: 1 })).toBeUndefined()
  })
})
