/**
 * Each built-in spawner through the spawner suite, without what takes long because it repeats, and through some cases
 * of the wire suite behind `procwire serve --spawner`. Failures are in `targets/spawners.json` with their reasons; of
 * the spawner suite they must fail. `npm run lab -- spawners` plays both suites whole: it sets `WHOLE_SUITES`.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { layerSpawner } from "procwire/effect"
import { builtIns, layerNamed } from "procwire/effect/sandbox"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SeamRunner, SpawnerRunner } from "../effect.ts"
import { cases } from "../suite/cases/index.ts"
import * as BuiltInSpawners from "../testing/BuiltInSpawners.ts"

const run = promisify(execFile)
const suite = fileURLToPath(new URL("../../dist/procwire-conformance.mjs", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "procwire-test-"))
afterAll(() => {
  BuiltInSpawners.close()
  rmSync(folder, { recursive: true, force: true })
})

const isWhole = process.env["WHOLE_SUITES"] === "1"

/** Milliseconds of a test that plays a whole suite. */
const timeout = isWhole ? 3_600_000 : 300_000

const except = isWhole
  ? {}
  : {
      "spawner/output/no-byte-lost-*": "500 runs",
      "spawner/output/of-a-descendant-arrives-on-a-pty": "40 runs",
      "spawner/events/none-before-spawn-has-succeeded": "50 runs",
      "spawner/load/**": "up to 200 children",
      "spawner/errors/nothing-is-left": "100 children",
    }

/** Another command in front of the program, as `nice` is, which is played with the rest. */
const alike = isWhole ? [] : ["user", "limits"]
const ofTheRest = ["spawner/events/**", "spawner/pause/**", "spawner/scope/**"]

/**
 * Milliseconds that a wait of a case goes on that has to fail: some wait for events that never come. A case that would
 * pass if it waited longer is found by `npm run lab -- spawners`.
 */
const inVainMs = isWhole ? 5000 : 2000

/** Every case that counts, but those that take longer than five seconds. */
const wire = cases.filter(({ level, slow }) => level !== "peer" && !slow)

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
  const lack = BuiltInSpawners.missing(row) ?? builtIns.find((one) => one.name === name)?.missing()
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

    const play = (options: Parameters<typeof SpawnerRunner.run>[1]) =>
      SpawnerRunner.run(layerNamed([opened.text], layerSpawner), options)

    // guards: descriptors
    test(`${row.with} through the spawner suite`, { timeout }, async () => {
      const rest = Object.fromEntries(alike.includes(name) ? ofTheRest.map((id) => [id, "as with nice"]) : [])
      const quick = isWhole ? undefined : row.quick
      const chosen = quick && { only: quick.spawner }
      const outcomes = await play({ ...chosen, except: { ...except, ...rest, ...row.races, ...row.spawner } })
      const failed = outcomes.filter(({ status }) => status === "fail")
      expect(failed.map(({ case: { id }, reason }) => ({ id, reason }))).toEqual([])
      expect(outcomes.filter(({ status }) => status === "pass").length).toBeGreaterThan(quick ? 5 : 50)
    })

    test(`${row.with} differs where it is said to`, { timeout }, async () => {
      const known = Object.keys(row.spawner).filter((id) => isWhole || !id.startsWith("spawner/load/"))
      const outcomes = await play({ only: known, timeoutMs: inVainMs })
      expect(SeamRunner.stale(outcomes, row.spawner)).toEqual([])
    })

    /** The status of cases of the wire suite on `procwire serve --spawner`, by their ids, and what the suite prints. */
    const playWire = async (ids: ReadonlyArray<string>, timeoutMs: number) => {
      const json = join(folder, `${name}.json`)
      const server = `${BuiltInSpawners.command.join(" ")} serve --spawner ${opened.text} --listen {LISTEN}`
      const words = ["--command", server, "--transports", "ws", "--strict", "--level", "should"]
      const all = [suite, ...words, "--timeout-ms", String(timeoutMs), "--json", json, ...ids]
      const { stdout } = await run(process.execPath, all, { maxBuffer: 2 ** 26 }).catch(
        (error: { readonly stdout: string }) => error,
      )
      const { cases } = JSON.parse(readFileSync(json, "utf8")) as {
        readonly cases: ReadonlyArray<{
          readonly id: string
          readonly status: string
          readonly transport: string
        }>
      }
      return { cases, stdout }
    }

    test("cases of the wire behind procwire serve --spawner", { timeout }, async () => {
      const chosen = isWhole ? wire.map(({ id }) => id) : (row.quick?.wire ?? wireCases)
      const played = chosen.filter((id) => !Object.hasOwn(row.wire, id))
      const { cases, stdout } = await playWire(played, 120_000)
      const wanted = isWhole ? ["pass", "skip"] : ["pass"]
      expect(
        cases.filter(({ status }) => !wanted.includes(status)),
        stdout,
      ).toEqual([])
      expect(cases.length).toBe(played.length)
    })

    const failing = Object.keys(row.wire)
    test.runIf(isWhole && failing.length > 0)(
      "cases of the wire that must fail do",
      { timeout },
      async () => {
        const { cases } = await playWire(failing, inVainMs)
        expect(cases.filter(({ status }) => status === "pass")).toEqual([])
      },
    )
  })
}
