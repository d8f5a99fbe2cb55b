import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { concat, utf8 } from "../protocol/Bytes.ts"
import { type Collected, CollectedOutput } from "./CollectedOutput.ts"

describe("CollectedOutput", () => {
  it("has both streams in the order in which they came", () => {
    const output = new CollectedOutput(100)
    for (const [stream, text] of [
      ["stdout", "a"],
      ["stdout", "b"],
      ["stderr", "E"],
      ["stdout", "c"],
      ["stderr", "F"],
      ["stderr", "G"],
    ] as const) {
      expect(output.add(stream, utf8.encode(text))).toBe(true)
    }
    expect([output.text("stdout"), output.text("stderr"), output.all()]).toEqual(["abc", "EFG", "abEcFG"])
  })

  it("keeps a character whole that the other stream comes into", () => {
    const output = new CollectedOutput(100)
    const [euro, a] = [utf8.encode("€"), utf8.encode("a")]
    output.add("stdout", euro.subarray(0, 1))
    output.add("stderr", a)
    output.add("stdout", euro.subarray(1))
    expect([output.text("stdout"), output.all()]).toEqual(["€", "a€"])
  })

  it("is what came, for whatever came, up to its bound", () => {
    const piece = fc.tuple(fc.constantFrom<Collected>("stdout", "stderr"), fc.uint8Array({ maxLength: 9 }))
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 0, max: 50 }), (pieces, most) => {
        const output = new CollectedOutput(most)
        for (const [stream, bytes] of pieces) output.add(stream, bytes)
        for (const wanted of ["stdout", "stderr"] as const) {
          const all = concat(pieces.flatMap(([stream, bytes]) => (stream === wanted ? [bytes] : [])))
          expect([...output.bytes(wanted)]).toEqual([...all.subarray(0, most)])
        }
      }),
    )
  })

  it("takes what there is room for, and says that it was not all", () => {
    const output = new CollectedOutput(3)
    expect(output.add("stdout", utf8.encode("ab"))).toBe(true)
    expect(output.add("stdout", utf8.encode("cd"))).toBe(false)
    expect(output.add("stderr", utf8.encode("xyz"))).toBe(true)
    expect(output.add("stdout", utf8.encode("e"))).toBe(false)
    expect([output.text("stdout"), output.all()]).toEqual(["abc", "abcxyz"])
  })
})
