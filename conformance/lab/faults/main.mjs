// @ts-check
// Plants one fault at a time, and looks whether what must notice it does.
//
//   node conformance/lab/faults/main.mjs [WORD...] [OPTIONS]
//
//   WORD           only the faults whose name, file or sentence contains one of these words
//   --by WAY       only those that tests, cases of the wire suite (cases) or the simulation (seeds) must notice
//   --jobs N       how many are played at once: 1
//   --seeds N      how many seeds a fault of the simulation may take: 500. The one that is known comes first
//   --resume FILE  adds each outcome to FILE, and leaves out what FILE says was noticed: a run that was cut goes on
//   --check        plays nothing: fails if a fault no longer applies to the sources
//
// Tests and cases count as noticing a fault if they fail with it and pass without it. The exit code is 1 if a fault no
// longer applies, or if fewer than 95 % of those that apply are noticed.
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../../../.ci/command.mjs"
import { build, install, root } from "../../../.ci/setup.mjs"
import { all } from "./all.mjs"
import * as Copy from "./copy.mjs"
import { wayOf, ways } from "./fault.mjs"
import * as Simulated from "./simulated.mjs"
import { plant } from "./syntax.mjs"

/** @import { Fault } from "./fault.mjs" */

/** The share of the faults that must be noticed. */
const required = 0.95

const { values, positionals: words } = command(import.meta.url, {
  options: {
    by: { usual: "", of: ways },
    jobs: 1,
    seeds: 500,
    resume: "",
    check: false,
  },
  allowPositionals: true,
})

install()
const chosen = all.filter(
  (fault) =>
    (values.by === "" || values.by === wayOf(fault)) &&
    (words.length === 0 ||
      words.some((word) => [fault.name, fault.file, fault.says].some((text) => text.includes(word)))),
)
if (chosen.some((fault) => wayOf(fault) !== "seeds")) build()
const known = chosen.some(({ cases }) => cases !== undefined)
  ? await import("../../../dist/conformance/index.js")
  : undefined

/** @param {string} path */
const hasTests = (path) =>
  existsSync(join(root, path)) &&
  (path.endsWith(".test.ts") ||
    readdirSync(join(root, path), { recursive: true }).some((name) => String(name).endsWith(".test.ts")))

/**
 * The reason for which a fault does not apply to the sources.
 * @param {Fault} fault
 * @returns {string | undefined}
 */
const outdated = (fault) => {
  const { name, file, find, put, cases } = fault
  if (all.filter((other) => other.name === name).length > 1) return "the name is there twice"
  if (!existsSync(join(root, file))) return "there is no such file"
  const missing = wayOf(fault) === "tests" ? Copy.testsOf(fault).find((path) => !hasTests(path)) : undefined
  if (missing !== undefined) return `there are no tests in ${missing}`
  const unknown = cases && known && known.Select.select(known.cases, cases, "all").unknown
  if (unknown?.length) return `there is no case ${unknown.join()}`
  return plant(readFileSync(join(root, file), "utf8"), find, put).why
}

/** @param {string} line */
const print = (line) => void process.stdout.write(`${line}\n`)

const unfit = chosen.flatMap((fault) => {
  const why = outdated(fault)
  return why === undefined ? [] : [{ fault, why }]
})
for (const { fault, why } of unfit) print(`does not apply: ${fault.name} (${fault.file}): ${why}`)
const applying = chosen.filter((fault) => unfit.every((other) => other.fault !== fault))
if (values.check) {
  print(`${applying.length} of ${chosen.length} faults apply`)
  process.exit(unfit.length > 0 ? 1 : 0)
}

const { jobs, resume, seeds } = values
const noted = existsSync(resume) ? readFileSync(resume, "utf8") : ""
const before = new Set([...noted.matchAll(/^noticed +\S+ s +(\S+)/gm)].map(([, name]) => name))
const folder = mkdtempSync(join(tmpdir(), "procwire-planted-"))
/** @type {Copy.Copy[]} */
const copies = []
process.on("exit", () => {
  for (const { remove } of copies) remove()
  rmSync(folder, { recursive: true, force: true })
})
process.on("SIGINT", () => process.exit(130)).on("SIGTERM", () => process.exit(143))

const current = applying.filter(({ name }) => !before.has(name))
print(`${current.length} of ${applying.length} are to come`)
/** @type {Fault[]} */
const survivors = []
const queue = current.values()
/** @param {number} job */
const work = async (job) => {
  /** @type {Copy.Copy | undefined} */
  let copy
  for (const fault of queue) {
    const begin = performance.now()
    if (wayOf(fault) !== "seeds" && copy === undefined) copies.push((copy = Copy.make()))
    const by = await (copy === undefined || wayOf(fault) === "seeds"
      ? Simulated.noticedBy(fault, seeds, join(folder, `${job}.mjs`))
      : copy.noticedBy(fault))
    if (by === undefined) survivors.push(fault)
    const seconds = ((performance.now() - begin) / 1000).toFixed(1)
    const line = `${by === undefined ? "SURVIVED" : "noticed "} ${seconds.padStart(6)} s  ${fault.name}`
    print(by === undefined ? line : `${line}, by ${by}`)
    if (resume !== "") appendFileSync(resume, `${by === undefined ? line : `${line}, by ${by}`}\n`)
  }
}
await Promise.all(Array.from({ length: Math.max(1, jobs) }, (_, job) => work(job)))

const noticed = applying.length - survivors.length
print(`\n${noticed} of ${applying.length} noticed, ${unfit.length} do not apply`)
for (const { name, file } of survivors) print(`survived: ${name} (${file})`)
process.exit(unfit.length > 0 || noticed < applying.length * required ? 1 : 0)
