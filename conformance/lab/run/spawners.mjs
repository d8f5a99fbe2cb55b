// @ts-check
// `npm run lab -- spawners`: plays the whole spawner suite on each built-in spawner, and the whole wire suite
// behind `procwire serve --spawner`. What fails is in conformance/targets/spawners.json, with its reason. Arguments
// choose spawners by name. Those that this machine cannot run are named and counted. The cases of `races`
// are not played.
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { command } from "../../../.ci/command.mjs"
import { build, install, root } from "../../../.ci/setup.mjs"
import { cacheOf } from "./fetched.mjs"

const { positionals: wanted } = command(import.meta.url, { allowPositionals: true })
install()
build()
const { builtIns } = await import("../../../dist/adapters/sandbox/BuiltIns.js")
const {
  close: closeAll,
  command: procwire,
  missing: missingFor,
  open,
  rows,
} = await import("../../../dist/conformance/testing/BuiltInSpawners.js")
const folder = cacheOf("spawners")
mkdirSync(folder, { recursive: true })

/** The longest wait of a case, in milliseconds: only a hang reaches it, on whatever machine. */
const hangMs = 120_000

/** The same for cases that have to fail: some of them wait for what never comes. */
const inVainMs = 5000

/** @param {readonly string[]} words */
const suite = (words, stdio = /** @type {"inherit" | "pipe"} */ ("inherit")) =>
  spawnSync(process.execPath, [`${root}dist/procwire-conformance.mjs`, "--level", "should", ...words], {
    cwd: root,
    stdio,
    encoding: "utf8",
  })

/**
 * Plays what must pass, and then what must fail.
 * @param {readonly string[]} args what to test
 * @param {Readonly<Record<string, string>>} known cases that fail
 * @param {Readonly<Record<string, string>>} races cases that are not played
 */
const passes = (args, known, races = {}) => {
  const listed = suite([...args, "--list"], "pipe").stdout.matchAll(/^(\S+) \(/gm)
  const others = { ...known, ...races }
  const rest = [...listed].flatMap(([, id]) => (id === undefined || Object.hasOwn(others, id) ? [] : [id]))
  const { status } = suite([...args, "--strict", "--timeout-ms", String(hangMs), ...rest])
  if (Object.keys(known).length === 0) return status === 0
  const json = join(folder, "known.json")
  suite([...args, "--timeout-ms", String(inVainMs), "--json", json, ...Object.keys(known)], "pipe")
  const { cases } = JSON.parse(readFileSync(json, "utf8"))
  const stale = cases.flatMap((/** @type {{ id: string, status: string }} */ { id, status }) =>
    status === "pass" ? [id] : [],
  )
  process.stdout.write(`${cases.length} cases must fail; ${stale.length} pass ${stale.join(" ")}\n`)
  return status === 0 && stale.length === 0
}

const unknown = wanted.filter((word) => builtIns.every(({ name }) => name !== word))
if (unknown.length > 0) {
  const names = builtIns.map(({ name }) => name).join(", ")
  process.stderr.write(`conformance:spawners: no spawner ${unknown.join(", ")}: there are ${names}\n`)
  process.exit(2)
}
const chosen = builtIns.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
const [failed, absent] = [new Set(), new Set()]
for (const { name, missing } of chosen) {
  const row = rows[name]
  const lack = (row && missingFor(row)) ?? missing()
  if (lack !== undefined || row === undefined) {
    process.stdout.write(`${name}: not on this machine: ${lack?.what ?? "no row in spawners.json"}\n`)
    absent.add(name)
    continue
  }
  const { close, text } = await open(row)
  const server = `${procwire.join(" ")} serve --spawner ${text} --listen {LISTEN}`
  process.stdout.write(`\n== ${text}\n`)
  if (!passes(["--spawner", text], row.spawner, row.races)) failed.add(name)
  if (!passes(["--command", server, "--transports", "ws"], row.wire)) failed.add(name)
  await close()
}
closeAll()
const counts = `${chosen.length - absent.size - failed.size} pass, ${failed.size} fail, ${absent.size} not here`
process.stdout.write(`\n${chosen.length} spawners: ${counts}\n`)
process.exitCode = failed.size === 0 ? 0 : 1
