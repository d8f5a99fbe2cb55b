/**
 * cases/index.ts as a whole: ids are unique, and every numbered behaviour has a case or a reason why it has none.
 */
import { expect, test } from "vitest"
import type { Behaviour } from "../Case.ts"
import { cases } from "./index.ts"

/** Section 16 of the process protocol, and what of section 7 beyond it is about servers. */
const behaviours: ReadonlyArray<Behaviour> = [
  ...Array.from({ length: 182 }, (_, index) => index + 1),
  ...Array.from({ length: 78 }, (_, index): Behaviour => `b${index + 1}`),
]

/** Behaviours without a case, each with the reason. Those from b79 on are about clients and agents. */
const exceptions: ReadonlyMap<Behaviour, string> = new Map()

const covered = new Set(cases.flatMap(({ spec }) => spec))

test("every behaviour has a case or a reason why it has none", () => {
  expect(behaviours.filter((one) => !covered.has(one) && !exceptions.has(one))).toEqual([])
})

test("no exception is stale", () => {
  expect([...exceptions.keys()].filter((one) => covered.has(one) || !behaviours.includes(one))).toEqual([])
})

test("no case names a behaviour that is not described", () => {
  expect([...covered].filter((one) => !behaviours.includes(one))).toEqual([])
})

test("ids are unique paths, and every case has a sentence", () => {
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
  for (const { id, says } of cases) {
    expect(id).toMatch(/^[a-zA-Z0-9-]+(\/[a-zA-Z0-9-]+)+$/)
    expect(says).toMatch(/^.{20,}\.$/)
  }
})
