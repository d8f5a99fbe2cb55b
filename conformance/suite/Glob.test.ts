import { expect, test } from "vitest"
import * as Glob from "./Glob.ts"

const matches = (glob: string, id: string): boolean => Glob.make([glob]).match(id)

test("a star stays within a step, two stars do not", () => {
  expect(matches("a/*/c", "a/b/c")).toBe(true)
  expect(matches("a/*/d", "a/b/c/d")).toBe(false)
  expect(matches("a/**/d", "a/b/c/d")).toBe(true)
  expect(matches("a/?", "a/b")).toBe(true)
  expect(matches("a/?", "a/bc")).toBe(false)
})

test("trailing steps may be left out, parts of a step may not", () => {
  expect(matches("a/b", "a/b/c")).toBe(true)
  expect(matches("a/b/", "a/b/c")).toBe(true)
  expect(matches("a/b", "a/bc")).toBe(false)
})

test("characters of regular expressions stand for themselves", () => {
  expect(matches("a.b", "a.b")).toBe(true)
  expect(matches("a.b", "axb")).toBe(false)
  expect(matches("a+(b)", "a+(b)")).toBe(true)
})

test("globs that match nothing are named", () => {
  expect(Glob.make(["a", "b", "c/*"]).unmatched(["a/x", "c"])).toEqual(["b", "c/*"])
})
