// @ts-check
// The tools of a stress: progress on stderr, a summary on stdout, an exit code, deadlines and random numbers.
import { cpus, loadavg } from "node:os"

/**
 * @import { Options, Values } from "../../../../.ci/command.mjs"
 *
 * @typedef {[name: string, value: string]} Row of a summary: what was measured, and the result
 *
 * The reports of a stress, and the end of its seconds. `skip` ends the program where the machine cannot
 * play it.
 * @typedef {{ row: (name: string, value: string) => void, fail: (text: string) => void, failed: () => boolean,
 *   over: () => boolean, skip: (why: string) => never }} Telling
 * @typedef {Stress<Options>} AnyStress
 */
/** @template {Options} T
 * @typedef {{ says: string, options: T, play: (options: Values<T>, telling: Telling) => Promise<void> }} Stress */

/** A kind of stress, which `main.mjs` plays. @template {Options} T @param {Stress<T>} it */
export const stress = (it) => it

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
