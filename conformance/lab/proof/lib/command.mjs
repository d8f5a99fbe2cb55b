// @ts-check
// What the proofs share as commands: flags from a table, progress on stderr, a summary on stdout, an exit code.
import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"

/**
 * One flag. A flag whose default is a number takes numbers; one with choices takes some of them, with commas.
 * @template {string | number} [T=string | number]
 * @typedef {{ says: string, standard: T, choices?: readonly string[] }} Flag
 */

/**
 * @param {string} about
 * @param {string} name
 * @param {Readonly<Record<string, Flag>>} table
 */
const helpOf = (about, name, table) => {
  const width = Math.max(...Object.keys(table).map((flag) => flag.length))
  return [
    `${about}\n`,
    `Usage: npm run ${name} -- [OPTIONS]\n`,
    ...Object.entries(table).map(
      ([flag, { says, standard }]) => `  --${flag.padEnd(width)}  ${says} [default: ${standard}]`,
    ),
    "\nProgress goes to stderr, the summary to stdout. Exit code 0: proved, 1: not, 2: wrong use.\n",
  ].join("\n")
}

/**
 * The values of the flags. Prints the help, or ends with exit code 2 on wrong use.
 * @template {Readonly<Record<string, Flag>>} Table
 * @param {string} name of the npm script
 * @param {string} about
 * @param {Table} table
 * @returns {{ [Name in keyof Table]: Table[Name]["standard"] extends number ? number : string }}
 */
export const flags = (name, about, table) => {
  /** @param {string} text @returns {never} */
  const wrong = (text) => {
    process.stderr.write(`${name}: ${text}\n`)
    process.exit(2)
  }
  const read = () => {
    const options = Object.keys(table).map((flag) => [flag, { type: "string" }])
    try {
      return parseArgs({ options: { ...Object.fromEntries(options), help: { type: "boolean", short: "h" } } })
        .values
    } catch (error) {
      return wrong(String(error))
    }
  }
  /** @type {Record<string, unknown>} */
  const values = read()
  if (values["help"]) {
    process.stdout.write(helpOf(about, name, table))
    process.exit(0)
  }
  const entries = Object.entries(table).map(([flag, { standard, choices }]) => {
    const given = values[flag]
    if (typeof given !== "string") return [flag, standard]
    if (choices !== undefined && !given.split(",").every((word) => choices.includes(word)))
      wrong(`--${flag} is one of ${choices.join(", ")}`)
    if (typeof standard === "number" && !(Number(given) >= 0)) wrong(`--${flag} wants a number`)
    return [flag, typeof standard === "number" ? Number(given) : given]
  })
  return Object.fromEntries(entries)
}

/** @param {string} text */
export const progress = (text) => process.stderr.write(`${text}\n`)

/** @param {number} bytes */
export const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** What was thrown, as text with its stack. @param {unknown} error */
export const stackOf = (error) => (error instanceof Error && error.stack) || String(error)

/**
 * A line of a summary: what was measured, and the result.
 * @typedef {[name: string, value: string]} Row
 */

/**
 * Prints what was measured and what went wrong, and ends the process.
 * @param {string} title
 * @param {readonly Row[]} rows
 * @param {readonly string[]} failures
 */
export const finish = (title, rows, failures) => {
  const width = Math.max(...rows.map(([name]) => name.length))
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, load ${loadavg()[0]?.toFixed(1)}`
  const lines = [
    `${title} (${machine})`,
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...failures.slice(0, 20).map((failure) => `FAILED: ${failure}`),
    failures.length === 0 ? "proved" : `not proved: ${failures.length} failures`,
  ]
  process.stdout.write(`${lines.join("\n")}\n`, () => process.exit(failures.length === 0 ? 0 : 1))
}

/**
 * Rejects if the promise takes longer.
 * @template T
 * @param {Promise<T>} promise
 * @param {number} millis
 * @param {string} what is awaited
 * @returns {Promise<T>}
 */
export const within = (promise, millis, what) => {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing for ${millis} ms`)), millis)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
