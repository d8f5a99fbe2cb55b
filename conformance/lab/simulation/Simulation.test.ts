/** Plays the simulation as `npm run sim` does: one seed on every runtime, and seeds until the time is over. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { ofItself } from "../../simulation/Fixed.ts"
import { expectNoFailure, partsOf } from "./Lab.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

const sim = (...words: ReadonlyArray<string>) => {
  const args = ["conformance/lab/simulation/main.mjs", ...words]
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" }).stdout
}

/** Seeds compute for a minute where nothing else does. */
const timeout = 1_200_000

it("gives the same trace on Node, Bun and Deno", { timeout }, () => {
  const said = ["node", "bun", "deno"].map((runtime) => sim("--seed", "7", "--runtime", runtime))
  expect(said[0]).toMatch(/^seed 7 ok, trace [0-9a-f]{16}\n$/)
  expect(new Set(said).size, said.join("")).toBe(1)
})

it("plays seeds of every kind of program from the same one on for as long as it is told", { timeout }, () => {
  const lines = sim("--from", "1001", "--seconds", "1").trim().split("\n")
  expect(lines[0]).toMatch(
    /^seeds 1001 to \d+ ok: \d+ virtual minutes in [\d.]+ s \(sessions,files,http,agents\)$/,
  )
  expect(lines.at(-1)).toMatch(/^\d+ seeds played, none failed$/)
})

it("holds every invariant for seeds that once showed a fault of its own", { timeout }, () =>
  expectNoFailure(partsOf(ofItself)),
)
