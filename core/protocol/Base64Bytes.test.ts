import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Bytes from "./Bytes.ts"
import { giveBack, MemoryPool } from "./MemoryPool.ts"

/** The result of the decoder of bytes for a text, as base64: two long arrays are slow to compare. */
const decoded = (text: string): string | undefined => {
  const symbols = Bytes.utf8.encode(text)
  const length = Bytes.base64Length(symbols)
  if (length === undefined || length < 1) return undefined
  const bytes = new Uint8Array(length)
  return Bytes.decodeBase64(symbols, bytes) ? Bytes.toBase64(bytes) : undefined
}
const expected = (text: string) =>
  text === "" || Result.isFailure(Bytes.fromBase64(text)) ? undefined : text
const noise = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 167 + (i >> 7) * 13) & 255)
/** Lengths around the ends of the pieces that are decoded at once. */
const lengths = [
  1, 2, 3, 4, 5, 6, 12_286, 12_287, 12_288, 12_289, 12_290, 12_291, 24_575, 24_576, 24_577, 65_536,
]

describe("Base64Bytes", () => {
  it("decodes every length around the ends of its pieces", () => {
    for (const length of lengths) {
      const text = Bytes.toBase64(noise(length))
      expect(decoded(text)).toBe(text)
    }
  })

  it("encodes every length around the ends of its pieces, into memory that was used before", () => {
    const memory = new MemoryPool(90_000, 1)
    for (const length of [0, ...lengths]) {
      const [head, tail] = [Bytes.utf8.encode("a"), Bytes.utf8.encode("zz")]
      const text = Bytes.withinText(head, "bc", noise(length), tail, memory)
      expect(new TextDecoder().decode(text)).toBe(`abc${Bytes.toBase64(noise(length))}zz`)
      giveBack(text)
    }
  })

  it("refuses what fromBase64 refuses, wherever the fault is", () => {
    const wrong = ["-", "_", "=", "==", " ", "\n", "\u0000", "é", "*", "\u007f", "€"]
    for (const length of [4, 12_288, 12_290]) {
      const text = Bytes.toBase64(noise(length))
      const places = [0, 1, 2, 3, 16_380, 16_383, 16_384, 16_385, text.length - 4, text.length - 3]
      for (const at of [...places, text.length - 2, text.length - 1, text.length]) {
        for (const fault of wrong) {
          if (at < 0 || at > text.length) continue
          for (const gone of [0, fault.length, 4]) {
            const other = text.slice(0, at) + fault + text.slice(at + gone)
            if (decoded(other) !== expected(other))
              expect.fail(`${length} bytes, ${fault} at ${at} for ${gone}`)
          }
        }
      }
    }
  })

  it("refuses bits at the end that mean nothing", () => {
    for (const end of ["AB==", "AA=A", "A===", "AAB=", "AAC=", "====", "=AAA", "Af==", "AAP="]) {
      expect([end, decoded(end)]).toEqual([end, undefined])
      expect([end, decoded("AAAA".repeat(5000) + end)]).toEqual([end, undefined])
    }
  })

  it("agrees with fromBase64 on any text", () => {
    const symbol = fc.constantFrom(..."AQgw4+/9z=-_ \n\u0000é")
    const text = fc.array(symbol, { minLength: 1, maxLength: 40 }).map((symbols) => symbols.join(""))
    fc.assert(
      fc.property(text, fc.boolean(), (text, far) => {
        const whole = far ? "AAAA".repeat(4096 - 4) + text : text
        expect(decoded(whole)).toBe(expected(whole))
      }),
      { numRuns: 500 },
    )
  })
})
