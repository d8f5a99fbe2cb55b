/**
 * Each built-in spawner through the spawner suite, without what takes long because it repeats, and through some cases
 * of the wire suite behind `procwire serve --spawner`. What fails is in `targets/spawners.json` with its reason, and
 * must fail. `npm run conformance:spawners` plays both suites whole.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { layerSpawner } from "procwire/node"
import { builtIns, layerNamed } from "procwire/sandbox"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SeamRunner, SpawnerRunner } from "../spawner/runner.ts"
import * as BuiltInSpawners from "../testing/BuiltInSpawners.ts"

const run = promisify(execFile)
const suite = fileURLToPath(new URL("../../dist/procwire-conformance.mjs", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "procwire-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const except = {
  "spawner/output/no-byte-lost-*": "500 runs",
  "spawner/output/of-a-descendant-arrives-on-a-pty": "40 runs",
  "spawner/events/none-before-spawn-has-succeeded": "50 runs",
  "spawner/load/**": "up to 200 children",
  "spawner/errors/nothing-is-left": "100 children",
}

const wireCases = [
  "process/start/program-missing-frees-the-id",
  "process/start/arg0-replaces-argv0",
  "process/start/cwd-file-uri",
  "process/start/own-session-and-group",
  "process/output/streams-and-exit-code",
  "process/output/bytes-are-exact",
  "process/output/late-output",
  "process/write/bytes-are-exact",
  "process/write/tty-input",
  "process/resize/program-is-told",
  "process/signal/interrupt-reaches-the-group",
  "process/terminate/kills-the-group",
  "process/exit-code/of-a-tty",
]

test("every built-in spawner is played", () => {
  expect(Object.keys(BuiltInSpawners.rows).sort()).toEqual(builtIns.map(({ name }) => name).sort())
})

for (const [name, row] of Object.entries(BuiltInSpawners.rows)) {
  const lack = builtIns.find((one) => one.name === name)?.missing()
  if (lack !== undefined) {
    test.skip(`${name}: not on this machine: ${lack.what}; ${lack.remedy}`, () => {})
    continue
  }
  describe(name, () => {
    let opened: BuiltInSpawners.Opened
    beforeAll(async () => {
      opened = await BuiltInSpawners.open(row)
    })
    afterAll(() => opened.close())

    test(`${row.with} through the spawner suite`, async () => {
      const outcomes = await SpawnerRunner.run(layerNamed([opened.text], layerSpawner), {
        except: { ...except, ...row.races },
      })
      const wrong = outcomes.filter(
        ({ case: { id }, status }) => status === "fail" && !Object.hasOwn(row.spawner, id),
      )
      expect(wrong.map(({ case: { id }, reason }) => ({ id, reason }))).toEqual([])
      expect(SeamRunner.stale(outcomes, row.spawner)).toEqual([])
    })

    test("a dozen cases of the wire behind procwire serve --spawner", async () => {
      const [baseline, json] = [join(folder, `${name}-known.json`), join(folder, `${name}.json`)]
      const known = Object.entries(row.wire).filter(([id]) => wireCases.includes(id))
      writeFileSync(baseline, JSON.stringify(known.map(([id, reason]) => ({ id, reason }))))
      const server = `${BuiltInSpawners.command.join(" ")} serve --spawner ${opened.text} --listen {LISTEN}`
      const words = ["--command", server, "--transports", "ws", "--strict", "--timeout-ms", "120000"]
      await run(process.execPath, [suite, ...words, "--baseline", baseline, "--json", json, ...wireCases])
      const { cases } = JSON.parse(readFileSync(json, "utf8")) as { cases: ReadonlyArray<{ status: string }> }
      expect(cases).toHaveLength(wireCases.length)
      expect(cases.filter(({ status }) => status === "pass").length).toBeGreaterThan(8)
    })
  })
}
