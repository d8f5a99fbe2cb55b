// @ts-check
// `npm run conformance:spawners`: plays the whole spawner suite on each built-in spawner, and the whole wire suite
// behind `procwire serve --spawner`. What fails is in conformance/targets/spawners.json, with its reason. Arguments
// choose spawners by name. Those that this machine cannot run are named and counted. A case of `races` may fail.
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build, install, root } from "../../../.ci/setup.mjs"
import { cacheOf } from "./fetched.mjs"

install()
build()
const { builtIns } = await import("../../../dist/adapters/sandbox/BuiltIns.js")
const { command, open, rows } = await import("../../../dist/conformance/testing/BuiltInSpawners.js")
const folder = cacheOf("spawners")
mkdirSync(folder, { recursive: true })

/** How long one wait of a case may take, in milliseconds: only a hang reaches it, on whatever machine. */
const hangMs = 120_000

/**
 * @param {readonly string[]} args what to test
 * @param {Readonly<Record<string, string>>} known cases that fail
 */
const passes = (args, known) => {
  const baseline = join(folder, "known.json")
  writeFileSync(baseline, JSON.stringify(Object.entries(known).map(([id, reason]) => ({ id, reason }))))
  const words = [
    ...args,
    "--level",
    "should",
    "--strict",
    "--timeout-ms",
    String(hangMs),
    "--baseline",
    baseline,
  ]
  const { status } = spawnSync(process.execPath, [`${root}dist/procwire-conformance.mjs`, ...words], {
    cwd: root,
    stdio: "inherit",
  })
  return status === 0
}

const wanted = process.argv.slice(2)
const chosen = builtIns.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
const [failed, absent] = [new Set(), new Set()]
for (const { name, missing } of chosen) {
  const lack = missing()
  const row = rows[name]
  if (lack !== undefined || row === undefined) {
    process.stdout.write(`${name}: not on this machine: ${lack?.what ?? "no row in spawners.json"}\n`)
    absent.add(name)
    continue
  }
  const { close, text } = await open(row)
  const server = `${command.join(" ")} serve --spawner ${text} --listen {LISTEN}`
  process.stdout.write(`\n== ${text}\n`)
  if (!passes(["--spawner", text], row.spawner)) failed.add(name)
  if (!passes(["--command", server, "--transports", "ws"], row.wire)) failed.add(name)
  await close()
}
const counts = `${chosen.length - absent.size - failed.size} pass, ${failed.size} fail, ${absent.size} not here`
process.stdout.write(`\n${chosen.length} spawners: ${counts}\n`)
process.exitCode = failed.size === 0 ? 0 : 1
