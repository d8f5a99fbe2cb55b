/** SpawnerRunner.ts on modules that are loaded by path. Needs the build in `dist/`. */
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { passed, type Outcome } from "../seam/SeamRunner.ts"
import * as SpawnerRunner from "./SpawnerRunner.ts"

const play = async (path: string, options?: SpawnerRunner.Options) =>
  SpawnerRunner.run((await SpawnerRunner.load(path)).layer, options)

const built = fileURLToPath(new URL("../../dist/adapters/node/effect.js", import.meta.url))

test("a module that exports a layer is loaded and played, reported case by case", async () => {
  const told: Array<readonly [Outcome, number, number]> = []
  const outcomes = await play(built, {
    only: ["spawner/exit/code-and-signal", "spawner/program/*-exact", "spawner/exit/code-and-signal-*"],
    onOutcome: (outcome, done, of) => told.push([outcome, done, of]),
  })
  expect(outcomes.filter(({ status }) => status === "fail")).toEqual([])
  expect(outcomes.map((outcome) => outcome.case.id)).toContain("spawner/program/arguments-exact")
  expect(told.map(([, done, of]) => [done, of])).toEqual(outcomes.map((_, i) => [i + 1, outcomes.length]))
  expect(passed(outcomes)).toBe(true)
})

test("a module without a layer, and a glob that matches no case, are wrong use", async () => {
  const wrong = fileURLToPath(new URL("../../dist/core/spawn/index.js", import.meta.url))
  await expect(play(wrong)).rejects.toThrow(SpawnerRunner.UsageError)
  const none = play(built, { only: ["spawner/none"] })
  await expect(none).rejects.toThrow("no case matches spawner/none")
})
