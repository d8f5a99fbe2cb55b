import { expect, test } from "vitest"
import { quote, split } from "./ShellWords.ts"

test("a command is split like a shell does", () => {
  expect(split(`a "b c" 'd "e' f\\ g ""`)).toEqual(["a", "b c", `d "e`, "f g", ""])
  expect(split(`a "b`)).toBeUndefined()
  expect(split(quote("it's a word"))).toEqual(["it's a word"])
})
