// @ts-check
// Plays seeds on the runtime that runs it. Arguments: the bundle, and what to play as JSON.
import { argv, exit, stderr, stdout } from "node:process"
import { pathToFileURL } from "node:url"

/**
 * @typedef {{ from: number, seeds: number, minutes: number, lines: boolean, single: boolean, mix?: string }} Request
 * @typedef {{ hunt: readonly number[], minutes: number }} Hunt seeds of which the first that fails ends it; each is
 * told in a line of JSON when it begins, and what fails in one more
 */

const [, , file = "", text = ""] = argv
/** @type {typeof import("../../../core/simulation/index.ts")} */
const { Mix, Report } = await import(pathToFileURL(file).href)
/** @type {Request & Partial<Hunt>} */
const { from, seeds, minutes, lines, single, mix: words, hunt } = JSON.parse(text)
const mix = words === undefined ? Mix.usual : Mix.parse(words)
if (mix === undefined) {
  stderr.write(`--mix must name some of ${[...Mix.names].join(", ")}: ${words}\n`)
  exit(2)
}

for (const seed of hunt ?? []) {
  stdout.write(`${JSON.stringify({ seed })}\n`)
  const violation = Report.violationOf(seed, minutes * 60_000, mix)
  if (violation === undefined) continue
  const { invariant, detail } = violation
  stdout.write(`${JSON.stringify({ seed, invariant, detail: detail.split("\n")[0] })}\n`)
  exit(1)
}
if (hunt !== undefined) exit(0)

const begin = performance.now()
let virtual = 0
let failed = 0
for (let seed = from; seed < from + seeds; seed++) {
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
