/** Plays the simulation as `npm run sim` does: seeds that change with the commit, and one on every runtime. */
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { expectNoFailure } from "./Lab.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

const sim = (...words: ReadonlyArray<string>) => {
  const args = ["conformance/lab/simulation/main.mjs", ...words]
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", timeout: 60_000 }).stdout
}

/** The commit, or where there is no repository the version. */
const version = (): string => {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8", stdio: "pipe" }).trim()
  } catch {
    return (JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { readonly version: string }).version
  }
}

const first = [...version()].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 1_000_000_007, 7)

describe("the simulation", () => {
  // It computes for a minute where nothing else does.
  const timeout = 1_200_000

  it(`holds every invariant for seeds of this commit, from ${first}`, { timeout }, async () => {
    const counts = {
      "sessions,files,http,agents": 105,
      "sessions,viewers": 20,
      "sessions,writers": 15,
      drills: 40,
      waits: 20,
      records: 20,
    }
    await expectNoFailure(Object.entries(counts).map(([mix, seeds]) => ({ from: first, seeds, mix })))
  })

  it("gives the same trace on Node, Bun and Deno", () => {
    const said = ["node", "bun", "deno"].map((runtime) => sim("--seed", "7", "--runtime", runtime))
    expect(said[0]).toMatch(/^seed 7 ok, trace [0-9a-f]{16}\n$/)
    expect(new Set(said).size, said.join("")).toBe(1)
  })
})
