// @ts-check
// Plays seeds on the runtime that runs it. Arguments: the bundle, and what to play as JSON.
import { argv, exit, stderr, stdout } from "node:process"
import { pathToFileURL } from "node:url"

/** @typedef {{ from: number, seeds: number, minutes: number, lines: boolean, single: boolean,
 * mix?: string, first?: boolean }} Request with `first` the first failure ends it, in one line */

const [, , file = "", text = ""] = argv
/** @type {typeof import("../../../core/simulation/index.ts")} */
const { Mix, Report } = await import(pathToFileURL(file).href)
/** @type {Request} */
const { from, seeds, minutes, lines, single, mix: words, first } = JSON.parse(text)
const mix = words === undefined ? Mix.all : Mix.parse(words)
if (mix === undefined) {
  stderr.write(`--mix must name some of ${[...Mix.names].join(", ")}: ${words}\n`)
  exit(2)
}

const begin = performance.now()
let virtual = 0
let failed = 0
for (let seed = from; seed < from + seeds; seed++) {
  if (first === true) {
    const fault = Report.faultOf(seed, minutes * 60_000, mix)
    if (fault === undefined) continue
    stdout.write(`seed ${seed}: ${fault}\n`)
    exit(1)
  }
  const report = Report.ofSeed(seed, minutes * 60_000, mix)
  virtual += report.outcome.millis / 60_000
  if (single && lines) stdout.write(`${report.outcome.lines.join("\n")}\n`)
  if (report.outcome.violation !== undefined) failed += 1
  if (single || report.outcome.violation !== undefined) stdout.write(`${report.text}\n`)
}
if (!single) {
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  const which = `seeds ${from} to ${from + seeds - 1}`
  const result = failed === 0 ? "ok" : `${failed} of ${seeds} failed`
  stdout.write(`${which} ${result}: ${Math.round(virtual)} virtual minutes in ${seconds} s\n`)
}
exit(failed === 0 ? 0 : 1)
