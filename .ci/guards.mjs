// @ts-check
// Fails if a row of the tables of core/README.md (invariants) or SECURITY.md (threats) names a file, a test, a check of
// the simulation or a case of the suites that does not exist, or lacks one of them. A dash stands for a guard that
// cannot be, with the reason behind it.
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { root } from "./setup.mjs"

const suites = await Promise.all([
  import("../dist/conformance/suite/cases/index.js"),
  import("../dist/conformance/spawner/cases/index.js"),
])

/** @param {string} file */
const read = (file) => readFileSync(`${root}${file}`, "utf8")

const tests = execFileSync("git", ["ls-files", "*.test.ts"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => existsSync(`${root}${file}`))
  .map(read)

/** The sources of the simulation, in which every check is named once by a text. */
const folder = "core/simulation"
const simulation = readdirSync(`${root}${folder}`)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => read(`${folder}/${file}`))
  .join("\n")

const ids = new Set(suites.flatMap(({ cases }) => cases.map((/** @type {{ id: string }} */ { id }) => id)))

/**
 * What the names in a column have to be, by the head of the column.
 * @type {Record<string, { what: string, exists: (name: string) => boolean }>}
 */
const guards = {
  "kept by": { what: "file", exists: (name) => existsSync(`${root}core/${name}`) },
  test: { what: "test", exists: (name) => tests.some((text) => text.includes(`"${name}`)) },
  simulation: { what: "check of the simulation", exists: (name) => simulation.includes(`"${name}"`) },
  case: { what: "case", exists: (name) => ids.has(name) },
}

/** The cells of a line of a table. @param {string} line */
const cellsOf = (line) =>
  line
    .slice(1, -1)
    .split(" | ")
    .map((cell) => cell.trim())

/**
 * What is wrong with a cell, if it is in a column of guards. Whoever keeps an invariant cannot be missing.
 * @param {string | undefined} head
 * @param {string} cell
 */
const faults = (head, cell) => {
  const guard = guards[head ?? ""]
  if (guard === undefined) return cell === "" ? ["says nothing"] : []
  const { what, exists } = guard
  if (/^– \(.+\)$/.test(cell)) return what === "file" ? [`has no ${what}`] : []
  const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
  if (names.length === 0) return [`has no ${what}, nor a reason: \`– (why)\``]
  return names
    .filter((name) => !exists(name))
    .map((name) => `names the ${what} "${name}", which does not exist`)
}

/**
 * The rows of the tables of a text that have a column of tests, and what is wrong with each.
 * @param {string} file
 */
const rowsOf = (file) => {
  /** @type {string[]} */
  let heads = []
  return read(file)
    .split("\n")
    .flatMap((line, index, lines) => {
      if (!line.startsWith("|")) return []
      if (lines[index - 1]?.startsWith("|") !== true) heads = cellsOf(line)
      if (heads.at(-1) !== "case" || /^\|[-|]+\|$/.test(line)) return []
      const cells = cellsOf(line)
      if (cells.join() === heads.join()) return []
      const unguarded = heads.every((head, at) => !(head in guards) || cells[at]?.startsWith("–"))
      return [
        [
          ...(unguarded ? ["has no guard at all"] : []),
          ...heads.flatMap((head, at) => faults(head, cells[at] ?? "")),
        ].map((fault) => `${file}: "${cells[0]}" ${fault}`),
      ]
    })
}

const wrong = ["core/README.md", "SECURITY.md"].flatMap((file) => {
  const rows = rowsOf(file)
  process.stdout.write(`${file}: ${rows.length} rows, each with its guards\n`)
  return rows.length === 0 ? [`${file}: no table with a column "case"`] : rows.flat()
})
if (wrong.length > 0) {
  process.stderr.write(`${wrong.join("\n")}\n`)
  process.exit(1)
}
