import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyText } from "../testing/Texts.ts"
import { HeadTailBuffer } from "./HeadTailBuffer.ts"
import * as Truncate from "./Truncate.ts"

const take = (text: string) => {
  const buffer = new HeadTailBuffer()
  buffer.push(new Uint8Array(Buffer.from(text)))
  return buffer.take(true)
}

const seq = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("")

describe("Truncate", () => {
  it("b94: tells of what the buffer dropped, and cuts what is left to the budget", () => {
    const taken = take("x".repeat(3_000_000))
    const half = "x".repeat(100)
    expect(Truncate.shown(taken, 50)).toBe(
      `Warning: truncated output (original token count: 750000)\n... 1951424 bytes omitted ...\n\n${half}…262102 tokens truncated…${half}`,
    )
    const half512 = "x".repeat(524_288)
    expect(Truncate.shown(taken, 1e6)).toBe(`${half512}\n... 1951424 bytes omitted ...\n${half512}`)
  })

  it("b95: tells how many lines and tokens there were", () => {
    const text = Truncate.shown(take(seq(20_000)), 100)
    expect(text).toMatch(
      /^Warning: truncated output \(original token count: 27224\)\nTotal output lines: 20000\n\n1\n2\n/,
    )
    expect(text).toContain("…27124 tokens truncated…")
    expect(text.endsWith("\n19999\n20000\n")).toBe(true)
  })

  it("b96: cuts on borders of characters", () => {
    expect(Truncate.shown(take(`a\nb\n\nc\n\n${"é".repeat(100)}`), 9)).toBe(
      `Warning: truncated output (original token count: 52)\nTotal output lines: 6\n\na\nb\n\nc\n\nééééé…43 tokens truncated…ééééééééé`,
    )
    fc.assert(
      fc.property(anyText({ minLength: 10 }), fc.nat(4), (text, tokens) => {
        const shown = Truncate.shown(take(text), tokens)
        fc.pre(shown.startsWith("Warning"))
        const [, left = "", right = ""] = /\n\n(.*)…\d+ tokens truncated…(.*)$/s.exec(shown) ?? []
        expect(text.startsWith(left) && text.endsWith(right)).toBe(true)
        expect(Buffer.byteLength(left + right)).toBeLessThanOrEqual(4 * tokens)
      }),
      { numRuns: 30 },
    )
  })

  it("leaves alone what fits, and shows nothing where nothing may be shown", () => {
    expect(Truncate.shown(take("abcdefgh"), 2)).toBe("abcdefgh")
    expect(Truncate.shown(take(""), 0)).toBe("")
    expect(Truncate.shown(take("abcdefghij"), 0)).toBe(
      "Warning: truncated output (original token count: 3)\nTotal output lines: 1\n\n…3 tokens truncated…",
    )
  })

  it("takes the smaller of two bounds, and counts in its unit", () => {
    const text = take(seq(60_000))
    expect(Truncate.shown(text, 10_000, { bytes: 10_000 })).toContain("…338894 chars truncated…")
    expect(Truncate.shown(text, 100, { bytes: 10_000 })).toContain("…87124 tokens truncated…")
    expect(Truncate.shown(text, 10_000, { tokens: 100 })).toContain("…87124 tokens truncated…")
    expect(Truncate.shown(take("é漢".repeat(10)), 10_000, { bytes: 10 })).toContain(
      "é漢…16 chars truncated…é漢",
    )
  })
})
