import { describe, expect, it } from "vitest"
import { longest, read } from "./ClientHello.ts"
import { clientHello, record } from "./testing/Proxied.ts"

describe("A ClientHello", () => {
  const whole = clientHello("x.test")
  const message = whole.subarray(5)

  it("is read once it is whole, and not before", () => {
    for (let length = 0; length < whole.length; length++)
      expect(read(whole.subarray(0, length)), `${length} bytes`).toEqual({ kind: "more" })
    expect(read(whole)).toEqual({ kind: "hello", name: "x.test" })
    for (const behind of [record(Buffer.of(1)), Buffer.of(20, 3, 3, 0, 1, 1), Buffer.from("data")])
      expect(read(Buffer.concat([whole, behind]))).toEqual({ kind: "hello", name: "x.test" })
    expect(read(clientHello())).toEqual({ kind: "hello", name: undefined })
  })

  it("may be cut into records anywhere", () => {
    for (let at = 1; at < message.length; at++) {
      const cut = Buffer.concat([record(message.subarray(0, at)), record(message.subarray(at))])
      expect(read(cut), `cut at ${at}`).toEqual({ kind: "hello", name: "x.test" })
    }
  })

  it("has one name, and lengths that fit", () => {
    expect(read(clientHello("x.test", "y.test"))).toEqual({ kind: "other" })
    // Each length that is changed makes it another message, or none; no change makes another name of it.
    for (let at = 0; at < whole.length; at++)
      for (const change of [1, 255, 128]) {
        const changed = Buffer.from(whole)
        changed[at] = changed[at]! ^ change
        const found = read(changed)
        const isName = at >= whole.length - "x.test".length
        if (found.kind === "hello" && !isName) expect([undefined, "x.test"]).toContain(found.name)
      }
  })

  it("is nothing else, and of bounded length", () => {
    for (const other of [
      "GET / HTTP/1.1\r\n",
      "\x16\x02",
      "\x17\x03\x03",
      "\x16\x03\x01\0\0",
      "\x16\x03\x01\0\x01\x02",
    ])
      expect(read(Buffer.from(other, "latin1")), JSON.stringify(other)).toEqual({ kind: "other" })
    expect(read(record(Buffer.from([1, 1, 0, 0])))).toEqual({ kind: "other" })
    const drops = Array.from({ length: longest }, () => record(Buffer.of(1)))
    expect(read(Buffer.concat(drops))).toEqual({ kind: "other" })
  })
})
