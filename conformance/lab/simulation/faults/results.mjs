// @ts-check
// What was found, by which seed: results.json, and the same as a table in README.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { idOf } from "./fault.mjs"

/** @import { Fault } from "./fault.mjs" */

/**
 * The seed that has found a fault, and the invariant that did not hold; of a survivor how many seeds were played.
 * @typedef {{ seed?: number, invariant?: string, seeds?: number }} Result
 * @typedef {Readonly<Record<string, Result>>} Results by the id of the fault
 */

/** How many must be found, in percent. */
export const leastShare = 95

const resultsFile = new URL("results.json", import.meta.url)
const readmeFile = new URL("README.md", import.meta.url)

/** @returns {Results} */
export const readResults = () =>
  existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, "utf8")) : {}

/**
 * @param {readonly Fault[]} faults
 * @param {Results} results
 */
export const writeResults = (faults, results) => {
  const known = faults.flatMap((fault) => {
    const result = results[idOf(fault)]
    return result === undefined ? [] : [[idOf(fault), result]]
  })
  writeFileSync(resultsFile, `${JSON.stringify(Object.fromEntries(known), undefined, 2)}\n`)
  writeFileSync(readmeFile, withTable(faults, results))
}

/**
 * What does not fit together.
 * @param {readonly Fault[]} faults
 * @returns {string[]}
 */
export const complaints = (faults) => {
  const results = readResults()
  const ids = faults.map(idOf)
  const again = "npm run sim:faults -- --write"
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: is there twice`),
    ...ids.filter((id) => results[id] === undefined).map((id) => `${id}: has no result: ${again}`),
    ...Object.keys(results)
      .filter((id) => !ids.includes(id))
      .map((id) => `${id}: has a result, and is no fault: ${again}`),
    ...faults
      .filter((fault) => fault.survives !== undefined && results[idOf(fault)]?.seed !== undefined)
      .map((fault) => `${idOf(fault)}: is found, and has a reason to survive`),
    ...(withTable(faults, results) === readFileSync(readmeFile, "utf8")
      ? []
      : [`the table is old: ${again}`]),
  ]
}

/**
 * @param {readonly Fault[]} faults
 * @param {Results} results
 */
const withTable = (faults, results) => {
  const [begin, end] = ["<!-- table -->\n", "<!-- /table -->"]
  const text = readFileSync(readmeFile, "utf8")
  return `${text.slice(0, text.indexOf(begin) + begin.length)}${table(faults, results)}${text.slice(text.indexOf(end))}`
}

/**
 * @param {readonly Fault[]} faults
 * @param {Results} results
 */
const table = (faults, results) => {
  const rows = faults.map((fault) => ({ ...fault, ...results[idOf(fault)] }))
  const found = rows.filter(({ seed }) => seed !== undefined)
  const survivors = rows.filter(({ seed }) => seed === undefined)
  return [
    "",
    `${found.length} of ${rows.length} are found.`,
    "",
    "| survivor | fault | seeds played | why |",
    "|---|---|---:|---|",
    ...survivors.map(
      ({ file, what, seeds, survives }) =>
        `| \`${file}\` | ${what} | ${seeds ?? 0} | ${survives ?? "not known yet"} |`,
    ),
    "",
    "| file | fault | seed | what does not hold |",
    "|---|---|---:|---|",
    ...found.map(
      ({ file, what, seed, mix, invariant }) =>
        `| \`${file}\` | ${what} | ${seed}${mix === undefined ? "" : `, ${mix}`} | ${invariant} |`,
    ),
    "",
    "",
  ].join("\n")
}
