// @ts-check
// `npm run bench -- --guard`: fails if procwire has become slower against the control server than the committed figures
// say. README.md has the rules.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { build, install } from "../../../.ci/setup.mjs"
import { verdict } from "./lib/guard-verdict.mjs"
import { measureRow, rowNames } from "./lib/guard-measure.mjs"

/** @import { Figures, Outcome } from "./lib/guard-verdict.mjs" */

const line = process.versions.node.split(".")[0] ?? ""

const help = `Compares procwire with the control server of this folder, and that with the committed figures.

Usage: npm run bench -- --guard [OPTIONS]

  --quick            fewer repetitions: at most two minutes on two cores
  --only ROW,ROW     some rows: ${rowNames.join(", ")}
  --command COMMAND  another server, which takes --listen [default: procwire on this Node]
  --planted PERCENT  procwire made slower by so much, to see that the guard notices
  --figures FILE     other figures than figures.json
  --record           write what was measured to the figures of this line of Node
  -h, --help         show this text

A row is the CPU time of procwire over that of the control server for the same work, in turn: the cheaper half of the
samples of each, of the better of two servers. It fails if it is more than 25 % above its figure, twice: what fails is
measured again, with twice the samples.

Exit code 0: no row has become slower; 1: one has; 2: wrong use. Progress goes to stderr.
`

/** @param {string} text @returns {never} */
const wrong = (text) => {
  process.stderr.write(`bench --guard: ${text}; --help lists the options\n`)
  process.exit(2)
}

/** @param {readonly string[]} args */
const parsed = (args) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        guard: { type: "boolean" },
        quick: { type: "boolean", default: false },
        only: { type: "string" },
        command: { type: "string" },
        planted: { type: "string" },
        figures: { type: "string" },
        record: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values
  } catch (error) {
    return wrong(error instanceof Error ? (error.message.split(/[.\n]/)[0] ?? "") : String(error))
  }
}

const options = parsed(process.argv.slice(2))
if (options.help) {
  process.stdout.write(help)
  process.exit(0)
}
const names = options.only?.split(",") ?? rowNames
for (const name of names)
  if (!rowNames.includes(name)) wrong(`--only ${name}: no such row; there are ${rowNames.join(", ")}`)
const planted = options.planted === undefined ? 0 : Number(options.planted)
if (!(planted >= 0 && planted <= 1000)) wrong(`--planted ${options.planted}: wants percents, from 0 to 1000`)
if (planted > 0 && options.record) wrong("--record with --planted would commit figures of a slower server")

const file = options.figures ?? fileURLToPath(new URL("./figures.json", import.meta.url))
if (!existsSync(file)) wrong(`--figures ${file}: no such file`)
install()
build()

/** @type {Record<string, Figures>} */
const committed = JSON.parse(readFileSync(file, "utf8"))
const figures = committed[line] ?? {}
if (committed[line] === undefined && !options.record) {
  process.stdout.write(`skipped: ${file} has no figures for Node ${line}; --record writes them\n`)
  process.exit(0)
}

const began = performance.now()
const colours = process.stdout.isTTY
/** @param {Outcome} outcome */
const shown = ({ name, ratio, figure, change, slower }) => {
  const against = figure === undefined ? "no figure" : `${figure.toFixed(2)} committed, ${change}`
  const text = `${slower ? "SLOWER" : "ok    "} ${name.padEnd(16)} ${ratio.toFixed(2)}× the control (${against})`
  return colours && slower ? `\u001b[31m${text}\u001b[0m` : text
}
const [reps, enough] = options.quick ? [8, 3] : [16, 8]
const measuring = { command: options.command, planted, seconds: enough }
/** @type {Outcome[]} */
const outcomes = []
for (const name of names) {
  process.stderr.write(`${name} …\n`)
  const first = verdict(await measureRow(name, { ...measuring, reps }), figures)
  const again = !options.record && first.some(({ slower }) => slower)
  if (again) process.stderr.write(`${name} again: ${first.map(shown).join("; ")}\n`)
  const last = again ? verdict(await measureRow(name, { ...measuring, reps: reps * 2 }), figures) : first
  // What was slower only once was the machine.
  const both = last.map((one, index) => ({ ...one, slower: one.slower && first[index]?.slower === true }))
  outcomes.push(...both)
  for (const outcome of both) process.stdout.write(`${shown(outcome)}\n`)
}
const seconds = Math.round((performance.now() - began) / 1000)
if (options.record) {
  const measured = Object.fromEntries(outcomes.map(({ name, ratio }) => [name, Number(ratio.toPrecision(3))]))
  const all = { ...committed, [line]: { ...figures, ...measured } }
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`)
  process.stdout.write(`recorded ${outcomes.length} figures for Node ${line} in ${seconds} s\n`)
} else {
  const slower = outcomes.filter((outcome) => outcome.slower).map(({ name }) => name)
  const end = slower.length === 0 ? "none is slower" : `slower by more than 25 %: ${slower.join(", ")}`
  process.stdout.write(`${outcomes.length} rows in ${seconds} s: ${end}\n`)
  process.exitCode = slower.length === 0 ? 0 : 1
}
