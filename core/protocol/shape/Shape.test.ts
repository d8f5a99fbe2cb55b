import * as Result from "effect/Result"
import { describe, expect, expectTypeOf, it } from "vitest"
import type { Json } from "../Json.ts"
import * as Shape from "./index.ts"

const Point = Shape.struct("Point", {
  x: Shape.whole("u8", 0n, 255n),
  label: Shape.optional(Shape.string),
  color: Shape.nullable(Shape.words("red", "blue")),
  on: Shape.flag,
  data: Shape.beyond(Shape.bytes, "data"),
})
const Drawing = Shape.tagged(
  "Drawing",
  Shape.variant("Drawing::Dot", { kind: Shape.words("dot"), at: Point }),
  Shape.variant("Drawing::Text", { kind: Shape.words("text", "words"), text: Shape.string }),
)

const read = (shape: Shape.Any, json: Json, plain = false) =>
  Result.merge(Shape.decode(shape, json, { plain }))

describe("Shape", () => {
  it("has the types of its values, in the program and on the wire", () => {
    expectTypeOf<typeof Point.Type>().toEqualTypeOf<{
      readonly x: number
      readonly label?: string | undefined
      readonly color?: "red" | "blue" | null | undefined
      readonly on: boolean
      readonly data?: Uint8Array | null | undefined
    }>()
    expectTypeOf<typeof Point.Encoded>().toEqualTypeOf<{
      readonly x: number
      readonly label?: string | undefined
      readonly color?: "red" | "blue" | null | undefined
      readonly on?: boolean | undefined
      readonly data?: string | null | undefined
    }>()
    expectTypeOf<(typeof Drawing.Type)["kind"]>().toEqualTypeOf<"dot" | "text" | "words">()
    const exact = Shape.struct("", { a: Shape.exactOptional(Shape.string) })
    expectTypeOf<typeof exact.Type>().toEqualTypeOf<{ readonly a?: string }>()
  })

  it("reads an object, and fills in what it lacks", () => {
    expect(read(Point, { x: 1, data: "aGk=", later: 1 })).toEqual({
      x: 1,
      on: false,
      data: Uint8Array.of(104, 105),
    })
    expect(read(Point, { x: 256 })).toBe("invalid number (field `x`)")
    expect(read(Point, {})).toBe("missing field `x`")
  })

  it("reads an array of the fields, which may end early and has none that is passed by name", () => {
    expect(read(Point, [1, "a", null, true])).toEqual({ x: 1, label: "a", color: null, on: true })
    expect(read(Point, [1, "a", { blue: null }])).toEqual({ x: 1, label: "a", color: "blue", on: false })
    expect(read(Point, [1])).toBe("invalid length 2, expected struct Point with 4 elements")
    expect(read(Point, [1, "a", null, true, "aGk="])).toBe(
      "invalid length 5, expected fewer elements in array",
    )
  })

  it("tells of the first fault: of the object as it came, or plainly in the order of the fields", () => {
    const json = { on: 1, color: "green", x: "" }
    expect(read(Point, json)).toBe("invalid type: number, expected a boolean (field `on`)")
    expect(read(Point, json, true)).toBe('invalid type: string "", expected u8 (field `x`)')
    expect(read(Point, { x: 1, color: "green" })).toBe(
      "unknown variant `green`, expected `red` or `blue` (field `color`)",
    )
    expect(read(Point, { x: 1, color: "green" }, true)).toBe(
      "unknown variant `green`, expected one of `red`, `blue` (field `color`)",
    )
    expect(read(Point, [1], true)).toBe("invalid type: sequence, expected struct Point")
  })

  it("reads a tagged struct by its tag", () => {
    expect(read(Drawing, { kind: "words", text: "a" })).toEqual({ kind: "words", text: "a" })
    expect(read(Drawing, ["dot", { x: 1 }])).toEqual({ kind: "dot", at: { x: 1, on: false } })
    expect(read(Drawing, { kind: "dot", at: { x: Symbol("1.5") } } as Json)).toBe(
      "invalid type: floating point `1.5`, expected u8 (field `at.x`)",
    )
    expect(read(Drawing, {})).toBe("missing field `kind`")
  })

  it("takes a value that does not read as absent where that is allowed", () => {
    const shape = Shape.struct("", { a: Shape.ignorable(Point), b: Shape.string })
    expect(read(shape, { a: { x: "" }, b: 1 })).toBe("invalid type: number, expected a string (field `b`)")
    expect(read(shape, { a: { x: "" }, b: "b" })).toEqual({ b: "b" })
  })

  it("takes the first of several shapes that reads a value, and tells the fault of the last", () => {
    const shape = Shape.list(Shape.anyOf(Shape.map(Shape.yes), Shape.struct("A", { a: Shape.string })))
    expect(read(shape, [{ a: "x" }, { b: true }])).toEqual([{ a: "x" }, { b: true }])
    expect(read(shape, [{ a: 1 }])).toBe("invalid type: number, expected a string (field `0.a`)")
  })

  it("writes the fields that it has, in their order, bytes as base64 and big integers as numbers", () => {
    const shape = Shape.struct("", {
      big: Shape.bigWhole("u64", 0n, 2n ** 64n - 1n),
      points: Shape.list(Point),
      by: Shape.map(Shape.nullOr(Shape.bytes)),
    })
    const value = {
      by: { a: Uint8Array.of(1), b: null },
      points: [{ on: true, x: 1, data: Uint8Array.of(2), label: undefined }],
      big: 5n,
      later: 1,
    }
    expect(JSON.stringify(Shape.encode(shape, value))).toBe(
      '{"big":5,"points":[{"x":1,"on":true,"data":"Ag=="}],"by":{"a":"AQ==","b":null}}',
    )
  })

  it("tells whether a value of the program is one of its", () => {
    const shape = Shape.struct("", { n: Shape.optional(Shape.int("i8", { minimum: -128, maximum: 127 })) })
    expect([{}, { n: undefined }, { n: -128 }].every((value) => Shape.is(shape, value))).toBe(true)
    expect([{ n: 128 }, { n: null }, { n: 0.5 }, [], null].some((value) => Shape.is(shape, value))).toBe(
      false,
    )
  })
})
