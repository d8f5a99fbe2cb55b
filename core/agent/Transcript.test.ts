import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { concat, utf8, utf8Decoder } from "../protocol/Bytes.ts"
import { blockBytes, Transcript } from "./Transcript.ts"

const filled = (most: number, ...pieces: ReadonlyArray<string>) => {
  const transcript = new Transcript(most)
  for (const piece of pieces) transcript.push(utf8.encode(piece))
  return transcript
}

const text = (transcript: Transcript, from: number, to: number) =>
  utf8Decoder().decode(transcript.slice(from, to))

describe("Transcript", () => {
  it("finds bytes and lines as a search through the whole does, however the output was cut", () => {
    const piece = fc.array(fc.constantFrom("a", "bc", "\n", "\r\n", "x".repeat(3_000)), { maxLength: 40 })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(), fc.nat(), (pieces, one, other) => {
        const parts = pieces.map((each) => each.join(""))
        const whole = parts.join("")
        const transcript = filled(Infinity, ...parts)
        const [from = 0, to = 0] = [one, other].map((at) => at % (whole.length + 2)).sort((a, b) => a - b)
        expect(text(transcript, from, to)).toBe(whole.slice(from, to))
        const lines = whole.split("\n")
        expect(transcript.lines).toBe(whole.endsWith("\n") || whole === "" ? lines.length - 1 : lines.length)
        expect(transcript.lineAt(Math.min(from, whole.length))).toBe(whole.slice(0, from).split("\n").length)
        const line = 1 + (one % (lines.length + 2))
        const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
        expect(transcript.startOf(line)).toBe(Math.min(before, whole.length))
      }),
      { numRuns: 200 },
    )
  })

  it("keeps the last bytes up to its bound, with the same numbers, and costs little for a little", () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index + 1}\n`)
    const transcript = filled(2 * blockBytes, ...lines)
    const whole = lines.join("")
    expect(transcript.written).toBe(whole.length)
    expect(transcript.kept).toBeGreaterThan(blockBytes)
    expect(transcript.kept).toBeLessThanOrEqual(2 * blockBytes)
    expect(text(transcript, 0, Infinity)).toBe(whole.slice(transcript.begin))
    expect(text(transcript, transcript.startOf(59_999), Infinity)).toBe("line 59999\nline 60000\n")
    expect(transcript.lineAt(transcript.startOf(59_999))).toBe(59_999)
    expect(transcript.startOf(5)).toBe(transcript.begin)
    expect(concat([filled(10, "a").slice(0, 9)]).buffer.byteLength).toBeLessThan(5_000)
  })
})
