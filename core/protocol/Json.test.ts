import process from "node:process"
import * as fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import * as Json from "./Json.ts"

const fault = (text: string): string => {
  try {
    Json.parse(text)
  } catch (error) {
    if (error instanceof Json.JsonError) return error.message
    throw error
  }
  return "no fault"
}

/** The text of a number that is no integer. */
const decimal = (text: string): string | undefined => {
  const json = Json.parse(text)
  return Json.isDecimal(json) ? Json.decimalText(json) : undefined
}

/** The result of `JSON.parse` for it: numbers as doubles. */
const plain = (json: Json.Json): unknown => {
  if (typeof json === "bigint") return Number(json)
  if (Json.isDecimal(json)) return Number(Json.decimalText(json))
  if (Array.isArray(json)) return json.map(plain)
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, plain(value)]))
}

describe("Json", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, "\t"), (text, indent) => {
        const expected: unknown = JSON.parse(text)
        const spaced = JSON.stringify(expected, null, indent)
        expect(plain(Json.parse(spaced))).toEqual(JSON.parse(spaced))
      }),
      { numRuns: 500 },
    )
  })

  it("refuses what JSON.parse refuses, wherever a text is cut, changed or lengthened", () => {
    const readable = (text: string) => {
      try {
        JSON.parse(text)
        return true
      } catch {
        return false
      }
    }
    const part = fc.constantFrom(
      "",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "\\u12",
      "-",
      "0",
      ".",
      "e",
      "+",
      "t",
      "null",
      " ",
      "\n",
    )
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(3), part, (text, at, length, inserted) => {
        const from = at % (text.length + 1)
        const changed = text.slice(0, from) + inserted + text.slice(from + length)
        if (!readable(changed)) expect(fault(changed)).toMatch(/ at line \d+ column \d+$/)
        else
          expect(fault(changed)).toMatch(
            /^no fault$|^duplicate JSON object key|^lone leading surrogate|^unexpected end of hex/,
          )
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ["", "EOF while parsing a value at line 1 column 0"],
    ["  ", "EOF while parsing a value at line 1 column 2"],
    ["\n", "EOF while parsing a value at line 2 column 0"],
    ["{bad", "key must be a string at line 1 column 2"],
    ["{", "EOF while parsing an object at line 1 column 1"],
    ['{"a"', "EOF while parsing an object at line 1 column 4"],
    ['{"a" 1}', "expected `:` at line 1 column 6"],
    ['{"a":', "EOF while parsing a value at line 1 column 5"],
    ['{"a":1', "EOF while parsing an object at line 1 column 6"],
    ['{"a":1,', "EOF while parsing a value at line 1 column 7"],
    ['{"a":1,}', "trailing comma at line 1 column 8"],
    ['{"a":1,1', "key must be a string at line 1 column 8"],
    ['{"a":1 "b"', "expected `,` or `}` at line 1 column 8"],
    ["[", "EOF while parsing a list at line 1 column 1"],
    ["[1", "EOF while parsing a list at line 1 column 2"],
    ["[1,", "EOF while parsing a value at line 1 column 3"],
    ["[1,]", "trailing comma at line 1 column 4"],
    ["[1 2]", "expected `,` or `]` at line 1 column 4"],
    ["[,]", "expected value at line 1 column 2"],
    ["?", "expected value at line 1 column 1"],
    ["1 2", "trailing characters at line 1 column 3"],
    ["{}\n{}", "trailing characters at line 2 column 1"],
    ["nul", "EOF while parsing a value at line 1 column 3"],
    ["nulx", "expected ident at line 1 column 4"],
    ["tx", "expected ident at line 1 column 2"],
    ["falsetto", "trailing characters at line 1 column 6"],
    ["-", "EOF while parsing a value at line 1 column 1"],
    ["-x", "invalid number at line 1 column 2"],
    ["01", "invalid number at line 1 column 2"],
    ["-00", "invalid number at line 1 column 3"],
    ["1.", "EOF while parsing a value at line 1 column 2"],
    ["1.x", "invalid number at line 1 column 3"],
    ["1e", "EOF while parsing a value at line 1 column 2"],
    ["1e+", "EOF while parsing a value at line 1 column 3"],
    ["1.5e]", "invalid number at line 1 column 5"],
    ["1.5.2", "trailing characters at line 1 column 4"],
    ["+1", "expected value at line 1 column 1"],
    ['"a', "EOF while parsing a string at line 1 column 2"],
    ['"a\\', "EOF while parsing a string at line 1 column 3"],
    ['"a\\"', "EOF while parsing a string at line 1 column 4"],
    ['"a\\x"', "invalid escape at line 1 column 4"],
    ['"\\u12', "EOF while parsing a string at line 1 column 5"],
    ['"\\u12G4"', "invalid escape at line 1 column 7"],
    ['"a\tb"', "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 3"],
    ['"\\n\u0001"', "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 4"],
    ['"a\nb"', "control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0"],
    ['"\\ud800"', "unexpected end of hex escape at line 1 column 8"],
    ['"\\ud800\\n"', "unexpected end of hex escape at line 1 column 9"],
    ['"\\ud800\\u0041"', "lone leading surrogate in hex escape at line 1 column 13"],
    ['"\\udc00"', "lone leading surrogate in hex escape at line 1 column 7"],
    ['{"id":1,"id":2}', "duplicate JSON object key `id` at line 1 column 12"],
    ['{"é€😀":1,', "EOF while parsing a value at line 1 column 15"],
  ])("says of %j: %s", (text, expected) => {
    expect(fault(text)).toBe(expected)
  })

  it("keeps every digit of 64-bit integers", () => {
    expect(Json.parse("9007199254740991")).toBe(9007199254740991)
    expect(Json.parse("9007199254740993")).toBe(9007199254740993n)
    expect(Json.parse("9223372036854775807")).toBe(2n ** 63n - 1n)
    expect(Json.parse("-9223372036854775808")).toBe(-(2n ** 63n))
    expect(Json.parse("18446744073709551615")).toBe(2n ** 64n - 1n)
    expect(Object.is(Json.parse("-0"), 0)).toBe(true)
  })

  it("tells decimals from integers, whatever their value", () => {
    for (const text of ["1.0", "1e2", "-0.0", "1E+400", "0.5e-3"]) {
      expect(decimal(text)).toBe(text)
    }
  })

  it("converts no integers that no field can hold: that takes a second for a message of 5 MB", () => {
    const convert = vi.spyOn(globalThis, "BigInt")
    const digits = "7".repeat(5_000_000)
    expect(decimal(digits)).toBe(digits)
    expect(convert).not.toHaveBeenCalled()
    expect(Json.parse("9007199254740993")).toBe(9007199254740993n)
    expect(convert).toHaveBeenCalled()
    convert.mockRestore()
  })

  it("refuses a repeated key at any depth, also one that objects inherit", () => {
    expect(fault('[{"a":{"b":1,"c":2,"b":3}}]')).toBe("duplicate JSON object key `b` at line 1 column 22")
    expect(fault('{"__proto__":1,"__proto__":2}')).toBe(
      "duplicate JSON object key `__proto__` at line 1 column 26",
    )
    expect(fault('{"a":1,"\\u0061":2}')).toBe("duplicate JSON object key `a` at line 1 column 15")
    expect(fault('{"constructor":1,"toString":2,"hasOwnProperty":3}')).toBe("no fault")
  })

  it("takes __proto__ for a key like any other", () => {
    const json = Json.parse('{"__proto__":{"method":"x"}}')
    expect(Object.keys(json as object)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype)
    expect((json as { readonly method?: unknown }).method).toBeUndefined()
  })

  it("reads surrogate pairs and all escapes", () => {
    expect(Json.parse('"\\ud83d\\ude00\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041😀"')).toBe('😀"\\/\b\f\n\r\tA😀')
  })

  it("nests 127 levels and not one more", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
    expect(fault(nested(127))).toBe("no fault")
    expect(fault(nested(128))).toBe("recursion limit exceeded at line 1 column 128")
    expect(fault("[".repeat(1_000_000))).toBe("recursion limit exceeded at line 1 column 128")
    expect(fault('{"a":'.repeat(127) + "1" + "}".repeat(127))).toBe("no fault")
    expect(fault(`[${'{"a":[]},'.repeat(1000)}[]]`)).toBe("no fault")
  })

  it("takes 262,143 values and not one more", () => {
    const array = (elements: number) => `[${"0,".repeat(elements - 1)}0]`
    expect(fault(array(262_142))).toBe("no fault")
    expect(fault(array(262_143))).toBe(
      "JSON-RPC message exceeds the limit of 262144 JSON values at line 1 column 524286",
    )
  })

  it("takes time that grows with the text and not with its square", () => {
    // Milliseconds of the processor, to which other programs add little; the square would take minutes of them.
    const isQuick = (text: string) => {
      const before = process.cpuUsage()
      fault(text)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000 < 5000
    }
    expect(isQuick(`["${"\\n".repeat(2_000_000)}"]`)).toBe(true)
    expect(isQuick(`[${'"a\\n","b",'.repeat(100_000)}1]`)).toBe(true)
    expect(isQuick(`[${'"b",'.repeat(200_000)}"\\n"]`)).toBe(true)
    expect(isQuick(`{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":0`).join(",")}}`)).toBe(true)
    expect(isQuick(`"${"x".repeat(5_000_000)}`)).toBe(true)
  })
})
