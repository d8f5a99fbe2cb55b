import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { utf8 } from "../protocol/Bytes.ts"
import { TextLines } from "./TextLines.ts"

/** The lines of bytes that come in pieces of `size`. */
const cut = (text: string, size: number, most?: number) => {
  const [lines, bytes] = [new TextLines(most), utf8.encode(text)]
  const all: Array<string> = []
  for (let at = 0; at < bytes.length; at += size) all.push(...lines.push(bytes.subarray(at, at + size)))
  return [...all, ...lines.end()]
}

describe("TextLines", () => {
  it("cuts at line ends of both kinds, wherever the pieces end", () => {
    const text = "a\r\n\nä€😀\r\r\nb\rc\n\r\nlast"
    for (let size = 1; size <= 30; size += 1) {
      expect(cut(text, size), `pieces of ${size}`).toEqual(["a", "", "ä€😀\r", "b\rc", "", "last"])
    }
  })

  it("gives the same lines for all pieces as for the whole text", () => {
    const texts = fc.array(fc.constantFrom("a", "é", "😀", "\n", "\r", "\r\n", " "), { maxLength: 40 })
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const text = parts.join("")
        const lines = text
          .split("\n")
          .map((line, at, all) => (at < all.length - 1 ? line.replace(/\r$/, "") : line))
        expect(cut(text, size)).toEqual(lines.at(-1) === "" ? lines.slice(0, -1) : lines)
      }),
    )
  })

  it("has no last line behind the last line end", () => {
    expect(cut("a\nb\n", 2)).toEqual(["a", "b"])
    expect(cut("", 1)).toEqual([])
    expect(cut("a\r", 1)).toEqual(["a\r"])
  })

  it("makes U+FFFD of what is no UTF-8, and of a character that breaks off", () => {
    const lines = new TextLines()
    expect([...lines.push(Uint8Array.of(0xff, 0x0a, 0xe2, 0x82))]).toEqual(["\ufffd"])
    expect([...lines.end()]).toEqual(["\ufffd"])
  })

  it("bounds a line, not its end, and holds no more of one than that", () => {
    for (let size = 1; size <= 6; size += 1) {
      expect(cut("abc\nabc\r\nabc", size, 3)).toEqual(["abc", "abc", "abc"])
      for (const long of ["abcd", "abcd\n", "ab\nabcd\nx", "abc\rd\n"]) {
        expect(() => cut(long, size, 3), `${long} in pieces of ${size}`).toThrow(
          "a line has more than the 3 characters of maxLineLength: read text() or output(), which have no lines, or " +
            "lines() with a larger maxLineLength",
        )
      }
    }
    const endless = new TextLines()
    const megabyte = new Uint8Array(1024 * 1024).fill(97)
    expect([...endless.push(megabyte)]).toEqual([])
    expect(() => [...endless.push(Uint8Array.of(97))]).toThrow("1048576 characters")
  })

  it("refuses a bound that is none", () => {
    for (const most of [0, -1, 1.5, Number.NaN, Infinity, "1" as unknown as number]) {
      expect(() => new TextLines(most)).toThrow(
        `maxLineLength is ${most}: expected characters from 1 to 524288000`,
      )
    }
  })
})
