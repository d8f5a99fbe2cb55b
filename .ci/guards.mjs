// @ts-check
// Fails if a row of the table of invariants in core/README.md names a file, a test, a check of the simulation or a case
// of the wire suite that does not exist, or lacks one of them. A dash stands for a guard that cannot be, with the
// reason behind it; the file and the test cannot be missing.
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { root } from "./setup.mjs"

const { cases } = await import("../dist/conformance/suite/cases/index.js")

/** @param {string} file */
const read = (file) => readFileSync(`${root}${file}`, "utf8")

const readme = "core/README.md"
const [, section = ""] = read(readme).split("\n## Invariants\n")
const rows = (section.split("\n## ")[0] ?? "")
  .split("\n")
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split(" | ")
      .map((cell) => cell.trim()),
  )

const tests = execFileSync("git", ["ls-files", "*.test.ts"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .map(read)

/** The sources of the simulation, in which every check is named once by a text; undefined where there is none. */
const folder = "core/simulation"
const simulation = existsSync(`${root}${folder}`)
  ? readdirSync(`${root}${folder}`)
      .filter((file) => file.endsWith(".ts"))
      .map((file) => read(`${folder}/${file}`))
      .join("\n")
  : undefined

const ids = new Set(cases.map((/** @type {{ id: string }} */ { id }) => id))

/** The names in a cell: those in backquotes. @param {string} cell */
const namesIn = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)

/** @param {string} cell */
const isExcused = (cell) => /^– \(.+\)$/.test(cell)

/**
 * What is wrong with a cell.
 * @param {string} what
 * @param {string} cell
 * @param {(name: string) => boolean} exists
 * @param {boolean} needed
 */
const faults = (what, cell, exists, needed) => {
  if (isExcused(cell)) return needed ? [`has no ${what}`] : []
  const names = namesIn(cell)
  if (names.length === 0) return [`has no ${what}${needed ? "" : ", nor a reason: `– (why)`"}`]
  return names
    .filter((name) => !exists(name))
    .map((name) => `names the ${what} "${name}", which does not exist`)
}

const wrong = rows.flatMap(([number, sentence, file = "", test = "", check = "", id = ""]) =>
  [
    ...(sentence === "" ? ["says nothing"] : []),
    ...faults("file", file, (name) => existsSync(`${root}core/${name}`), true),
    ...faults("test", test, (name) => tests.some((text) => text.includes(`"${name}`)), true),
    ...faults("check of the simulation", check, (name) => simulation?.includes(`"${name}"`) ?? true, false),
    ...faults("case", id, (name) => ids.has(name), false),
  ].map((fault) => `${readme}: invariant ${number} ${fault}`),
)
if (rows.length === 0) wrong.push(`${readme}: no table of invariants`)
if (simulation === undefined) process.stdout.write(`no ${folder}: its checks are named, and not looked for\n`)
if (wrong.length > 0) {
  process.stderr.write(`${wrong.join("\n")}\n`)
  process.exit(1)
}
process.stdout.write(`${rows.length} invariants, each with its guards\n`)
