// @ts-check
// Plays seeds on the runtime that runs it. Arguments: the bundle, and what to play as JSON. It tells of each seed in a
// line of JSON.
import process, { argv, stderr, stdout } from "node:process"
import { pathToFileURL } from "node:url"

/**
 * @import { Part } from "./seeds.mjs"
 *
 * @typedef {{ parts: readonly Part[], first: number, step: number, minutes: number, hunts?: boolean }} Share every
 * `step`th of the seeds of the parts; a hunt ends with the first that fails, and does not look for its shortest trace
 * @typedef {{ seed: number, mix?: string, minutes: number, lines: boolean }} Single is reported in words
 */

const [, , file = "", text = ""] = argv
/** @type {typeof import("../../simulation/index.ts")} */
const { Mix, Report } = await import(pathToFileURL(file).href)
/** @type {Share | Single} */
const request = JSON.parse(text)

/** @param {string} [words] */
const mixOf = (words) => {
  const mix = words === undefined ? Mix.usual : Mix.parse(words)
  if (mix !== undefined) return mix
  stderr.write(`--mix must name some of ${[...Mix.names].join(", ")}: ${words}\n`)
  return process.exit(2)
}

const parent = process.ppid

/** Tells the program that has started this one, and ends when that is gone. @param {object} told */
const tell = (told) => {
  if (process.ppid !== parent) process.exit(1)
  stdout.write(`${JSON.stringify(told)}\n`)
}

/** @param {Share} share */
const playShare = ({ parts, first, step, minutes, hunts }) => {
  let [place, next, ok] = [0, first, true]
  for (const { from, seeds, mix: words } of parts) {
    const mix = mixOf(words)
    for (; next < place + seeds; next += step) {
      const play = hunts === true ? Report.briefly : Report.ofSeed
      const { outcome, text } = play(from + next - place, minutes * 60_000, mix)
      const failed = outcome.violation !== undefined
      tell({ place: next, millis: outcome.millis, ...(failed ? { text } : {}) })
      ok &&= !failed
      if (hunts === true && failed) return false
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

const ok = "seed" in request ? playSingle(request) : playShare(request)
// A run that has failed leaves fibers behind.
stdout.write("", () => process.exit(ok ? 0 : 1))
