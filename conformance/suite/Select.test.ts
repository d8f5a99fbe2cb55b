import { expect, test } from "vitest"
import { family } from "./Case.ts"
import { cases } from "./cases/index.ts"
import { select } from "./Select.ts"

test("globs choose cases, and one that fits nothing is named", () => {
  expect(select(cases, ["process/read/after-seq-skips-older"], "all").cases).toHaveLength(1)
  expect(select(cases, ["process/read"], "all").cases.every(({ id }) => family(id) === "process/read")).toBe(
    true,
  )
  expect(select(cases, ["process/*/missing-*"], "all").cases.length).toBeGreaterThan(2)
  expect(select(cases, ["nothing/like/this", "envelope"], "all").unknown).toEqual(["nothing/like/this"])
  expect(select(cases, [], "must").cases.every(({ level }) => level === "must")).toBe(true)
})
