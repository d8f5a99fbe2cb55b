import * as Result from "effect/Result"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import * as Bytes from "./Bytes.ts"
import * as Shape from "./shape/index.ts"

type Converters = Pick<typeof Bytes, "toBase64" | "fromBase64">

const faults = [
  ["!!", "Invalid symbol 33, offset 0."],
  ["@@@", "Invalid symbol 64, offset 0."],
  ["_-==", "Invalid symbol 95, offset 0."],
  ["YWJj\n", "Invalid symbol 10, offset 4."],
  ["YW Jj", "Invalid symbol 32, offset 2."],
  ["YWé=", "Invalid symbol 195, offset 2."],
  ["YW😀", "Invalid symbol 240, offset 2."],
  ["Y=Jj", "Invalid symbol 61, offset 1."],
  ["=", "Invalid symbol 61, offset 0."],
  ["YWJj=", "Invalid symbol 61, offset 4."],
  ["Y==", "Invalid symbol 61, offset 1."],
  ["YQ===", "Invalid symbol 61, offset 2."],
  ["YQ==\n", "Invalid symbol 10, offset 4."],
  ["YQ==YQ==", "Invalid symbol 61, offset 2."],
  ["YWJj====", "Invalid symbol 61, offset 4."],
  ["YQ=\n", "Invalid symbol 61, offset 2."],
  ["é=YQé", "Invalid symbol 195, offset 0."],
  ["Y", "Invalid input length: 1"],
  ["YWJjY", "Invalid input length: 5"],
  ["YQ", "Invalid padding"],
  ["YWI", "Invalid padding"],
  ["YQ=", "Invalid padding"],
  ["YR==", "Invalid last symbol 82, offset 1."],
  ["YWJ=", "Invalid last symbol 74, offset 2."],
] as const

const suite = (name: string, load: () => Converters) =>
  describe(name, () => {
    it("decodes what it encodes", () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
          const text = load().toBase64(bytes)
          expect(text).toBe(Buffer.from(bytes).toString("base64"))
          expect(Array.from(Result.getOrThrow(load().fromBase64(text)))).toEqual(Array.from(bytes))
        }),
      )
    })

    it("encodes a view without its surroundings", () => {
      expect(load().toBase64(Uint8Array.of(1, 97, 98, 99, 2).subarray(1, 4))).toBe("YWJj")
    })

    it("accepts a text only if it encodes back to the same", () => {
      const text = fc.string({ unit: fc.constantFrom(..."AQgwZ+/=-_ \n"), maxLength: 12 })
      fc.assert(
        fc.property(text, (text) => {
          const bytes = load().fromBase64(text)
          if (Result.isSuccess(bytes)) expect(load().toBase64(bytes.success)).toBe(text)
          else
            expect(bytes.failure).toMatch(
              /^Invalid (symbol \d+, offset \d+\.|padding|input length: \d+|last symbol \d+, offset \d+\.)$/,
            )
        }),
        { numRuns: 1000 },
      )
    })

    it.each(faults)("says of %j: %s", (text, expected) => {
      expect(load().fromBase64(text)).toEqual(Result.fail(expected))
    })

    it("takes an empty text for no bytes", () => {
      expect(Result.getOrThrow(load().fromBase64("")).length).toBe(0)
    })
  })

suite("Bytes", () => Bytes)

describe("Bytes on a platform without converters", () => {
  let pure: Converters = Bytes
  const names = [
    [Uint8Array, "fromBase64"],
    [Uint8Array.prototype, "toBase64"],
  ] as const
  const kept = names.map(([owner, name]) => Object.getOwnPropertyDescriptor(owner, name))

  beforeAll(async () => {
    vi.resetModules()
    vi.stubGlobal("Buffer", undefined)
    for (const [owner, name] of names) Reflect.deleteProperty(owner, name)
    pure = await import("./Bytes.ts")
    vi.unstubAllGlobals()
    vi.resetModules() // other tests of this worker import the one of the platform again
  })
  afterAll(() => {
    names.forEach(([owner, name], index) => {
      const descriptor = kept[index]
      if (descriptor !== undefined) Object.defineProperty(owner, name, descriptor)
    })
  })

  suite("the pure fallback", () => pure)

  it("is another module than the one under test above", () => {
    expect(pure.toBase64).not.toBe(Bytes.toBase64)
  })
})

describe("Base64", () => {
  it("is the text on the wire and the bytes in the program", () => {
    const decode = (json: unknown) => Shape.decode(Shape.bytes, json)
    expect(Result.getOrThrow(decode("aGkK"))).toEqual(Uint8Array.of(104, 105, 10))
    expect(Shape.encode(Shape.bytes, Uint8Array.of(104, 105, 10))).toBe("aGkK")
    expect(Result.isFailure(decode(5))).toBe(true)
  })
})

describe("concat", () => {
  it("joins any pieces in their order", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (pieces) => {
        expect(Bytes.concat(pieces)).toEqual(Uint8Array.from(pieces.flatMap((piece) => [...piece])))
      }),
    )
  })

  it("copies nothing where there is one", () => {
    const only = Uint8Array.of(1, 2)
    expect(Bytes.concat([only])).toBe(only)
  })
})

describe("indexOf and lastIndexOf", () => {
  it("find bytes where arrays find them, in views, too", () => {
    const few = fc.uint8Array({ max: 3, maxLength: 40 })
    fc.assert(
      fc.property(few, fc.nat(5), fc.nat(45), fc.nat(4), (bytes, begin, from, byte) => {
        const view = bytes.subarray(begin)
        const array = [...view]
        expect(Bytes.indexOf(view, byte)).toBe(array.indexOf(byte))
        expect(Bytes.indexOf(view, byte, from)).toBe(array.indexOf(byte, from))
        expect(Bytes.lastIndexOf(view, byte)).toBe(array.lastIndexOf(byte))
      }),
    )
  })
})
