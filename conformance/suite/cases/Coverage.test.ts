/**
 * Every numbered behaviour of both descriptions has a case, or is named here with the reason why it has none.
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
