import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as NativePath from "./NativePath.ts"
import * as PathUri from "./PathUri.ts"

const bytes = fc.uint8Array({ maxLength: 40 })

describe("NativePath", () => {
  it("has a string for any bytes, and restores them", () => {
    fc.assert(
      fc.property(bytes, (name) => {
        expect(NativePath.toBytes(NativePath.fromBytes(name))).toEqual(name)
      }),
    )
  })

  it("leaves what is UTF-8 as it is", () => {
    for (const text of ["/a", "/é/日本", "/😀\u{10ffff}", ""]) {
      expect(NativePath.isText(text)).toBe(true)
      expect(NativePath.fromBytes(new TextEncoder().encode(text))).toBe(text)
      expect(NativePath.toText(text)).toBe(text)
    }
  })

  it("keeps single bytes, cut characters, encoded surrogates and overlong forms apart from text", () => {
    for (const strange of [[0xff], [0xc3], [0xed, 0xb2, 0x80], [0xc0, 0xaf], [0xf0, 0x9f, 0x98]]) {
      const path = NativePath.fromBytes(Uint8Array.from([0x61, ...strange, 0x62]))
      expect(NativePath.isText(path)).toBe(false)
      expect(path).toBe(`a${strange.map((byte) => String.fromCharCode(0xdc00 + byte)).join("")}b`)
    }
  })

  it("is displayed with U+FFFD", () => {
    expect(NativePath.toText(NativePath.fromBytes(Uint8Array.of(0x78, 0xff)))).toBe("x\ufffd")
  })

  it("orders names by their bytes, not by their UTF-16 units", () => {
    const names = ["\u{1f600}", "\uffee", "é", "b", "B", ".git", "\udcff"]
    expect([...names].sort(NativePath.compare)).toEqual([
      ".git",
      "B",
      "b",
      "é",
      "\uffee",
      "\u{1f600}",
      "\udcff",
    ])
  })

  it("goes through a URI byte by byte", () => {
    expect(PathUri.toPath("file:///x%FF%FEy", "linux")).toEqual(Result.succeed("/x\udcff\udcfey"))
    expect(PathUri.fromPath("/x\udcff\udcfe y%")).toBe("file:///x%FF%FE%20y%25")
    fc.assert(
      fc.property(bytes, (name) => {
        fc.pre(!name.includes(0) && !name.includes(0x2f))
        const path = `/a/${NativePath.fromBytes(name)}/b`
        expect(PathUri.toPath(PathUri.fromPath(path), "linux")).toEqual(
          Result.succeed(PathUri.normalise(path)),
        )
      }),
    )
  })
})
