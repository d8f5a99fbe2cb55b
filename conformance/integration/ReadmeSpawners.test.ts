/**
 * The spawners that READMEs show, word for word, through the spawner suite that they recommend: the sandbox and the one
 * in plain JavaScript of adapters/sandbox/README.md, and the spawner of spawner/README.md.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { transformSync } from "esbuild"
import { afterAll, expect, test } from "vitest"
import { layerSpawner } from "procwire/effect"
import { type SeamCase, SeamRunner, SpawnerRunner } from "../effect.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
// Inside the repository, so that `procwire` and `effect` are found.
const folder = mkdtempSync(join(root, "dist/readme-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0

const works = (): boolean => {
  try {
    execFileSync("/usr/bin/bwrap", ["--ro-bind", "/", "/", "/usr/bin/true"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Writes the example of this README that has this text, without its types. */
const example = (readme: string, text: string): string => {
  const blocks = [...readFileSync(join(root, readme), "utf8").matchAll(/^```[tj]s\n([^]*?)^```/gm)]
  const [block = "", code = ""] = blocks.find(([block]) => block.includes(text)) ?? []
  // A module is loaded once for each name.
  const file = join(folder, `${(count += 1)}-${readme.replaceAll("/", "-")}.mjs`)
  writeFileSync(file, block.startsWith("```js") ? code : transformSync(code, { loader: "ts" }).code)
  return file
}

/** Cases that take long because they repeat, as the tests of other spawners do. */
const except = {
  "spawner/output/no-byte-lost-*": "500 runs",
  "spawner/output/of-a-descendant-arrives-on-a-pty": "40 runs",
  "spawner/events/none-before-spawn-has-succeeded": "50 runs",
}

/** Some of what is known to fail does so by waiting in vain, for so many milliseconds. */
const failsWithinMs = 5_000

const proves = async (file: string, also: SeamCase.Known = {}): Promise<void> => {
  const { known: own, layer } = await SpawnerRunner.load(file)
  const known = { ...own, ...also }
  const host = layerSpawner
  const only = Object.keys(known)
  const outcomes = [
    ...(await SpawnerRunner.run(layer, { host, except: { ...except, ...known } })),
    ...(only.length === 0 ? [] : await SpawnerRunner.run(layer, { host, only, timeoutMs: failsWithinMs })),
  ]
  const wrong = outcomes.filter(({ case: { id }, status }) => status === "fail" && !(id in known))
  expect(wrong.map(({ case: { id }, reason }) => ({ id, reason }))).toEqual([])
  expect(SeamRunner.stale(outcomes, known)).toEqual([])
  expect(SeamRunner.passed(outcomes, known)).toBe(true)
}

const timeout = 300_000

test.runIf(works())("the sandbox of adapters/sandbox/README.md", { timeout, tags: ["bubblewrap"] }, () =>
  proves(example("adapters/sandbox/README.md", "wrap(")),
)

test("the spawner of spawner/README.md", { timeout }, () =>
  proves(example("conformance/spawner/README.md", "const launch =")),
)

test("the spawner in plain JavaScript of adapters/sandbox/README.md, in 30 lines", { timeout }, async () => {
  const file = example("adapters/sandbox/README.md", "export const spawner = { name")
  expect(readFileSync(file, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(30)
  await proves(file, {
    "spawner/exit/real-time-signal": "node:child_process reports it as exit code 0",
    "spawner/output/reopened-by-the-child": "the pipes of node:child_process are sockets",
    "spawner/errors/program-of-no-format": "libuv gives the file to a shell",
  })
})
