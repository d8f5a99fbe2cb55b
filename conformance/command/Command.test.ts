/**
 * The command as its users run it: exit codes, what stands on the standard output, and that it needs no Node.
 * Needs the bundle in `dist/`.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"
import { type Ran, run as here } from "../testing/CommandHere.ts"
import * as Own from "../testing/Own.ts"
import * as Xml from "../testing/Xml.ts"
import { runtime } from "../testing/Runtimes.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const bundle = path("../../dist/procwire-conformance.mjs")
const folder = mkdtempSync(join(tmpdir(), "procwire-conformance-"))
afterAll(() => rmSync(folder, { recursive: true }))

const run = (program: ReadonlyArray<string>, ...args: ReadonlyArray<string>): Promise<Ran> =>
  new Promise((resolve) => {
    const [file = "", ...first] = program
    const child = execFile(file, [...first, bundle, ...args], { timeout: 250_000 }, (_, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err })
    })
  })

const node = [process.execPath]
// Only a hang takes so long, however busy the machine is.
const patience = ["--timeout-ms", "120000"]
const good = ["--command", Own.quoted(Own.own(), "stdio"), ...patience]
const bad = ["--command", Own.quoted(Own.broken("error-code-wrong"), "stdio"), ...patience]
const missingField = "process/read/missing-process-id-is-named"

test("the exit code is 0 when every must has passed", async () => {
  const { code, out, err } = await run(node, ...good, "handshake/second*", "environment/status*")
  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(out).toMatch(/conformant: 2 cases over stdio/)
  expect(out).not.toContain("\u001b")
})

test("the exit code is 1 when a must has failed, and 0 when the baseline expects it", async () => {
  const failed = await run(node, ...bad, missingField)
  expect(failed.code).toBe(1)
  expect(failed.out).toMatch(/FAIL process\/read\/missing.*\n.*\n {2}but: the code of the error/)
  const file = join(folder, "known.json")
  writeFileSync(file, JSON.stringify([{ id: missingField, reason: "it is shy" }]))
  const known = await run(node, ...bad, missingField, "environment/status*", "--baseline", file, "-v")
  expect(known.code).toBe(0)
  expect(known.out).toMatch(/known must .*it is shy/)
})

test("a stale entry of the baseline fails a run in which every case has passed", async () => {
  const file = join(folder, "stale.json")
  writeFileSync(file, JSON.stringify([{ id: "environment/status-is-ready", reason: "was not ready" }]))
  const { code, out } = await here(...good, "environment/status*", "--baseline", file)
  expect(code).toBe(1)
  expect(out).toContain("stale entry in the baseline: environment/status-is-ready: it passes over stdio")
})

test("a failed should counts only under --strict", async () => {
  const globs = ["handshake/params-checked-before-state", "environment/status*"]
  expect((await here(...bad, ...globs)).code).toBe(0)
  expect((await here(...bad, ...globs, "--strict")).code).toBe(1)
})

test("wrong use is exit code 2 and names the flag, the glob or the file", async () => {
  const wrong: ReadonlyArray<readonly [args: ReadonlyArray<string>, names: RegExp]> = [
    [["--nonsense"], /--nonsense/],
    [[...good, "no/such/case"], /no\/such\/case/],
    [[...good, "--baseline", join(folder, "none.json")], /--baseline .*none\.json/],
    [[...good, "--junit", join(folder, "none", "x.xml")], /--junit .*x\.xml/],
    [[...good, "--json"], /--json/],
  ]
  for (const [args, names] of wrong) {
    const { code, out, err } = await here(...args)
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(names)
    expect(err).toContain("try --help")
  }
})

test("--help shows examples, and --list needs no server", async () => {
  expect((await here("--help")).out).toContain("examples")
  expect((await here("--list", "process/read/next-seq")).out).toMatch(
    /^process\/read\/next-seq \(must, any\)\n/,
  )
})

test("--tap leaves nothing but TAP on the standard output, and the files are written beside it", async () => {
  const [json, junit] = [join(folder, "out.json"), join(folder, "out.xml")]
  const args = [...bad, missingField, "environment/status*", "--tap", "-v", "--json", json, "--junit", junit]
  const { code, out, err } = await here(...args)
  expect(code).toBe(1)
  expect(out).toMatch(
    /^TAP version 14\n1\.\.2\nnot ok 1 - process\/[^]*\n {2}\.\.\.\nok 2 - environment\/[^\n]*\n$/,
  )
  expect(err).toContain("not conformant (1 failed)")
  expect(JSON.parse(readFileSync(json, "utf8"))).toMatchObject({ passed: false, cases: [{}, {}] })
  expect(Xml.parse(readFileSync(junit, "utf8")).attributes).toMatchObject({ tests: "2", failures: "1" })
})

test("--spawner plays the spawner suite on the layer of a module, and names a module that has none", async () => {
  const [good, bad] = [join(folder, "spawner.mjs"), join(folder, "nothing.mjs")]
  const layer = new URL("../../dist/adapters/shared/HostPlatform.js", import.meta.url).href
  writeFileSync(good, `export { layerSpawner } from ${JSON.stringify(layer)}\n`)
  writeFileSync(bad, "export const nothing = 0\n")
  const ran = await here("--spawner", good, "spawner/errors/program-missing", "--tap")
  expect(ran.out).toBe("TAP version 14\n1..1\nok 1 - spawner/errors/program-missing (must, spawner)\n")
  expect(ran.code).toBe(0)
  for (const module of [bad, join(folder, "none.mjs")]) {
    const { code, err } = await here("--spawner", module)
    expect(code).toBe(2)
    expect(err).toContain(module)
  }
  expect((await here("--spawner", good, "no/such/case")).code).toBe(2)
})

const others: ReadonlyArray<readonly [name: string, program: ReadonlyArray<string>]> = [
  ["Bun", [runtime("@oven", "bin/bun")]],
  ["Deno", [runtime("@deno", "deno"), "run", "-A"]],
]

for (const [name, program] of others) {
  test.skipIf(program[0] === "")(`the same bundle runs on ${name}, over both transports`, async () => {
    const globs = ["process/output/seq-contiguous", "session/isolated", "lifecycle/end-of-input-ends*"]
    const both = await run(program, "--command", Own.quoted(Own.own()), ...globs)
    expect(both.err).toBe("")
    expect(both.out).toMatch(/conformant: 4 cases over stdio and ws/)
    expect(both.code).toBe(0)
    expect((await run(program, "--nonsense")).code).toBe(2)
  })
}

test("--badge and --markdown write the same bytes for the same result, into files that can be written", async () => {
  const [svg, md] = [join(folder, "badge.svg"), join(folder, "summary.md")]
  const written = async (): Promise<ReadonlyArray<string>> => {
    const { code } = await here(...bad, missingField, "environment/status*", "--badge", svg, "--markdown", md)
    expect(code).toBe(1)
    return [svg, md].map((file) => readFileSync(file, "utf8"))
  }
  const [badge = "", summary = ""] = await written()
  expect(badge).toContain("<title>procwire wire: not conformant, 1 of 2 cases passed</title>")
  expect(summary).toContain(`\`${missingField}\``)
  expect(await written()).toEqual([badge, summary])
  const nowhere = await here(...good, "--badge", join(folder, "none", "badge.svg"))
  expect(nowhere).toMatchObject({ code: 2, out: "" })
  expect(nowhere.err).toMatch(/--badge .*ENOENT/)
})
