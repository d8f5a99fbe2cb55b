// @ts-check
// Commands of the lab: flags from a table, progress on stderr, a summary on stdout, an exit code. A kind of stress is
// such a command, which `main.mjs` plays.
import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"

/**
 * Flags by name. One whose default is a number takes numbers; one with choices takes some of them, with commas.
 * @typedef {{ says: string, standard: string | number, choices?: readonly string[] }} Flag
 * @typedef {Readonly<Record<string, Flag>>} Table
 * @typedef {[name: string, value: string]} Row of a summary: what was measured, and the result
 *
 * The tools of a stress: how it tells what it finds, and when its seconds are over. `skip` ends the program where the
 * machine cannot play it.
 * @typedef {{ row: (name: string, value: string) => void, fail: (text: string) => void, failed: () => boolean,
 *   over: () => boolean, skip: (why: string) => never }} Telling
 * @typedef {Stress<Table>} AnyStress
 */
/** @template {Table} T @typedef {{ [Name in keyof T]: T[Name]["standard"] extends number ? number : string }} Values */
/** @template {Table} T
 * @typedef {{ says: string, options: T, play: (options: Values<T>, telling: Telling) => Promise<void> }} Stress */

/** A kind of stress. @template {Table} T @param {Stress<T>} it */
export const stress = (it) => it

/**
 * The values of the flags. Prints the help, or ends with exit code 2 on wrong use.
 * @template {Table} T @param {string} name of the command @param {string} about @param {T} table
 * @param {{ usage?: string, args?: string[] }} [options] @returns {Values<T>}
 */
export const flags = (name, about, table, { usage = `npm run ${name} --`, args } = {}) => {
  /** @param {string} text @returns {never} */
  const wrong = (text) => {
    process.stderr.write(`${name}: ${text}\n`)
    process.exit(2)
  }
  /** @type {Record<string, { type: "string" | "boolean", short?: string }>} */
  const options = { help: { type: "boolean", short: "h" } }
  for (const flag of Object.keys(table)) options[flag] = { type: "string" }
  /** @type {Record<string, unknown>} */
  let values = {}
  try {
    values = parseArgs({ args: args ?? process.argv.slice(2), options }).values
  } catch (error) {
    wrong(String(error))
  }
  if (values["help"]) {
    const lines = Object.entries(table).map(
      ([flag, { says, standard }]) => `  --${flag.padEnd(12)}  ${says} [default: ${standard}]\n`,
    )
    const where = "Progress goes to stderr, the summary to stdout."
    const codes = "Exit code 0: nothing was wrong, 1: something was, 2: wrong use."
    process.stdout.write(`${about}\n\nUsage: ${usage} [OPTIONS]\n\n${lines.join("")}\n${where} ${codes}\n`)
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

export const progress = (/** @type {string} */ text) => process.stderr.write(`${text}\n`)
export const mebibytes = (/** @type {number} */ bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
/** An error as text, with its stack. @param {unknown} error */
export const stackOf = (error) => (error instanceof Error && error.stack) || String(error)
/** @param {readonly number[]} list @param {number} share */
export const quantile = (list, share) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? Number.NaN
/** The middle of some milliseconds, the slowest hundredth and the longest. @param {readonly number[]} millis */
export const spread = (millis) =>
  [0.5, 0.99, 1].map((share) => `${quantile(millis, share).toFixed(1)} ms`).join(", ")

/**
 * Prints what was measured and what went wrong, and ends the process.
 * @param {string} title @param {readonly Row[]} rows @param {readonly string[]} failures
 */
export const finish = (title, rows, failures) => {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, load ${loadavg()[0]?.toFixed(1)}`
  const lines = [
    `${title} (${machine})`,
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...failures.slice(0, 20).map((failure) => `FAILED: ${failure}`),
    failures.length === 0 ? "passed" : `not passed: ${failures.length} failures`,
  ]
  process.stdout.write(`${lines.join("\n")}\n`, () => process.exit(failures.length === 0 ? 0 : 1))
}

/**
 * Rejects if the promise takes longer.
 * @template T @param {Promise<T>} promise @param {number} millis @param {string} what is awaited @returns {Promise<T>}
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

/**
 * Runs `work` for each, at most `width` at a time; the results in order.
 * @template T, R @param {readonly T[]} list @param {number} width @param {(one: T) => Promise<R>} work
 * @returns {Promise<R[]>}
 */
export const each = async (list, width, work) => {
  /** @type {R[]} */
  const results = []
  const entries = list.entries()
  const lane = async () => {
    for (const [index, one] of entries) results[index] = await work(one)
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}

/** @typedef {ReturnType<typeof randomOf>} Random */
/** Pseudo-random numbers, the same for the same seed, an integer of 32 bits (mulberry32). @param {number} seed */
export const randomOf = (seed) => {
  let state = seed >>> 0
  /** At least 0, less than 1. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** An integer, at least 0 and less than the limit. */
  const below = (/** @type {number} */ limit) => Math.floor(next() * limit)
  const chance = (/** @type {number} */ share) => next() < share
  /** One of a list that is not empty. @template T @param {readonly T[]} list */
  const pick = (list) => /** @type {T} */ (list[below(list.length)])
  return { next, below, chance, pick }
}
