// @ts-check
// Plays seeds on the runtime that runs it. Arguments: the bundle, and what to play as JSON. It tells of each seed in a
// line of JSON.
import process, { argv, stderr, stdout } from "node:process"
import { pathToFileURL } from "node:url"

/**
 * @import { Part } from "./seeds.mjs"
 *
 * @typedef {{ parts: readonly Part[], first: number, step: number, minutes: number }} Share every `step`th of the seeds
 * of the parts
 * @typedef {{ hunt: readonly number[], mix?: string, minutes: number }} Hunt seeds of which the first that fails ends
 * it
 * @typedef {{ seed: number, mix?: string, minutes: number, lines: boolean }} Single is told in words
 */

const [, , file = "", text = ""] = argv
/** @type {typeof import("../../simulation/index.ts")} */
const { Mix, Report } = await import(pathToFileURL(file).href)
/** @type {Share | Hunt | Single} */
const request = JSON.parse(text)

/** @param {string} [words] */
const mixOf = (words) => {
  const mix = words === undefined ? Mix.usual : Mix.parse(words)
  if (mix !== undefined) return mix
  stderr.write(`--mix must name some of ${[...Mix.names].join(", ")}: ${words}\n`)
  return process.exit(2)
}

const parent = process.ppid

/** Nobody hears it once the program is gone that has started this one, which ends then. @param {object} told */
const tell = (told) => {
  if (process.ppid !== parent) process.exit(1)
  stdout.write(`${JSON.stringify(told)}\n`)
}

/**
 * Each seed is told when it begins, and what fails in one more line.
 * @param {Hunt} hunt
 */
const playHunt = ({ hunt, mix: words, minutes }) => {
  const mix = mixOf(words)
  for (const seed of hunt) {
    tell({ seed })
    const violation = Report.violationOf(seed, minutes * 60_000, mix)
    if (violation === undefined) continue
    const { invariant, detail } = violation
    tell({ seed, invariant, detail: detail.split("\n")[0] })
    return false
  }
  return true
}

/** @param {Share} share */
const playShare = ({ parts, first, step, minutes }) => {
  let [place, next, ok] = [0, first, true]
  for (const { from, seeds, mix: words } of parts) {
    const mix = mixOf(words)
    for (; next < place + seeds; next += step) {
      const { outcome, text } = Report.ofSeed(from + next - place, minutes * 60_000, mix)
      const failed = outcome.violation !== undefined
      tell({ place: next, millis: outcome.millis, ...(failed ? { text } : {}) })
      ok &&= !failed
    }
    place += seeds
  }
  return ok
}

/** @param {Single} single */
const playSingle = ({ seed, mix, minutes, lines }) => {
  const { outcome, text } = Report.ofSeed(seed, minutes * 60_000, mixOf(mix))
  if (lines) stdout.write(`${outcome.toLines().join("\n")}\n`)
  stdout.write(`${text}\n`)
  return outcome.violation === undefined
}

const ok =
  "hunt" in request ? playHunt(request) : "seed" in request ? playSingle(request) : playShare(request)
// A run that has failed leaves fibers behind.
stdout.write("", () => process.exit(ok ? 0 : 1))
