import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Decoder from "./decoding/Decoder.ts"
import { lazyFunction, lazy, struct } from "./Lazy.ts"
import { requests, serverNotifications } from "./Methods.ts"

describe("a lazy value", () => {
  it("is made once, when it is first read, and again if that has failed", () => {
    let made = 0
    const fields = lazy(() => {
      made += 1
      if (made === 1) throw new Error("not yet")
      return { a: Schema.String, b: Schema.Number }
    })
    expect(made).toBe(0)
    expect(() => fields.a).toThrow("not yet")
    expect(fields.a).toBe(Schema.String)
    expect("b" in fields).toBe(true)
    expect("c" in fields).toBe(false)
    expect({ ...fields }).toEqual({ a: Schema.String, b: Schema.Number })
    expect(made).toBe(2)
  })

  it("is a schema wherever one is expected", () => {
    let made = 0
    const Point = struct("Point", () => {
      made += 1
      return { x: Schema.Number, y: Schema.optional(Schema.Number) }
    })
    const Line = lazy(() => Schema.Array(Point))
    const Named = struct("Named", () => ({ name: Schema.String, line: Line, ...Point.fields }))
    expect(made).toBe(0)
    const value = { name: "it", line: [{ x: 1, y: 2 }, { x: 3 }], x: 4 }
    expect(Schema.isSchema(Point)).toBe(true)
    expect(Schema.decodeUnknownSync(Named)(value)).toEqual(value)
    expect(Decoder.make(Named)(value)).toEqual(Either.right(value))
    expect(String(Named)).toBe("Named")
    expect(made).toBe(1)
  })

  it("is a function that is made at its first call", () => {
    let made = 0
    const add = lazyFunction(() => {
      made += 1
      return (one: number, other: number) => one + other
    })
    expect(made).toBe(0)
    expect([add(1, 2), add(3, 4), made]).toEqual([3, 7, 1])
  })

  it("decodes every method and notification of the table", () => {
    for (const { params } of [...Object.values(requests), ...Object.values(serverNotifications)]) {
      const decode = Decoder.make(params as unknown as Schema.Schema<unknown>)
      expect(() => decode("of no method")).not.toThrow()
    }
  })
})
