import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Note from "./Note.ts"

describe("a note", () => {
  it("that is none is refused in words, whatever it is", () => {
    for (const text of ["", "nonsense", "null", "7", "[]", "{}", '{"version":1,"params":{"argv":7}}'])
      expect(Result.isFailure(Note.read(text)), text).toBe(true)
  })

  it("of a later form is left alone, with both numbers", () => {
    expect(Note.read('{"version":2,"params":{}}')).toEqual(
      Result.fail("its note has the form 2, and this server reads up to 1"),
    )
  })
})
