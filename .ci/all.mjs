// @ts-check
// `npm run test:all`: everything there is to run, part by part. It installs what tests want from Debian where it may.
//
//   npm run test:all                          all parts, and a table of them at the end
//   npm run test:all -- --only page           one part; may be repeated
//   npm run test:all -- --from hosts          goes on with a part, after a run that was cut
//   npm run test:all -- --list                what the parts are
//   npm run test:all -- --flaky [--rounds N]  a hundred times each file that has failed in this checkout until now
//   npm run test:all -- --touched --seconds N what judges the last change, for so many seconds, without an installation
//   npm run test:all -- --write               also writes its rows into the table of CONTRIBUTING.md
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { command } from "./command.mjs"
import * as Debian from "./debian.mjs"
import * as Generated from "./generated.mjs"
import { filesOf, isIn, parts } from "./parts.mjs"
import { build, heading, install, root, run } from "./setup.mjs"
import { cpuSeconds, play } from "./steps.mjs"
import * as Tally from "./tally.mjs"

/** @import { Part } from "./parts.mjs" */
/** @typedef {{ name: string, seconds: number, cpu: number, passed: number, failed: number, result: string }} Row */

const { values } = command(import.meta.url, {
  options: {
    only: [],
    from: { usual: "", of: parts.map(({ name }) => name) },
    list: false,
    flaky: false,
    rounds: { usual: 100, least: 1 },
    touched: false,
    seconds: { usual: Infinity, least: 1 },
    write: false,
  },
})
for (const name of values.only)
  if (parts.every((part) => part.name !== name)) {
    process.stderr.write(`npm run test:all: no part is called ${name}; --list names the parts\n`)
    process.exit(2)
  }

/** @param {readonly string[]} args */
const git = (args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean)

/** Seconds before the last commit in which what has changed belongs together: six hours. */
const recent = 6 * 3600

/** The files that have changed in the hours before the last commit, and since. */
const changed = () => {
  const [time = ""] = git(["log", "-1", "--format=%ct"])
  const [base] = git(["log", "-1", "--format=%H", `--before=${Number(time) - recent}`])
  return base === undefined ? git(["ls-files"]) : git(["diff", "--name-only", base])
}

/** @returns {readonly Part[]} */
const chosen = () => {
  const { from, only, touched } = values
  if (only.length > 0) return parts.filter(({ name }) => only.includes(name))
  if (touched) {
    const files = changed()
    return parts.filter((part) => files.some((file) => isIn(file, part.touched)))
  }
  return parts.slice(from === "" ? 0 : parts.findIndex(({ name }) => name === from))
}

/** The authorities of the machine. Each Node reads them as it starts, which takes as long as the rest of its start. */
const authorities = process.env["NODE_EXTRA_CA_CERTS"]

/** @param {Part} part @param {number} until @returns {Promise<Row>} */
const playPart = async ({ name, says, steps = [], fetches = false }, until) => {
  if (fetches && authorities !== undefined) process.env["NODE_EXTRA_CA_CERTS"] = authorities
  else delete process.env["NODE_EXTRA_CA_CERTS"]
  heading(`${name}: ${says}`)
  const files = filesOf(name)
  const vitest = { title: `${name}: tests`, args: ["node_modules/vitest/vitest.mjs", "run", ...files] }
  const others = steps.map((args) => ({ title: `${name}: ${args.join(" ")}`, args }))
  const [before, began, cpu] = [Tally.sum(), performance.now(), cpuSeconds()]
  const ends = await play([...(files.length > 0 ? [vitest] : []), ...others], { until })
  const after = Tally.sum()
  const [passed, failed] = [after.passed - before.passed, after.failed - before.failed]
  const isCut = ends.some((end) => typeof end !== "number")
  const result = failed > 0 ? `${failed} FAILED` : isCut ? "cut: the time was over" : "passed"
  const seconds = Math.round((performance.now() - began) / 1000)
  return { name, seconds, cpu: Math.round(cpuSeconds() - cpu), passed, failed, result }
}

/** @param {Row} row */
const lineOf = ({ name, seconds, cpu, passed, failed, result }) =>
  `| \`${name}\` | ${seconds} | ${cpu} | ${passed + failed} | ${result} |`

/** @param {readonly string[]} lines */
const tableOf = (lines) =>
  `| part | seconds | of processors | tests | |\n|---|---|---|---|---|\n${lines.map((line) => `${line}\n`).join("")}`

/** Puts these rows into the table. Those of other parts stay: a run may be cut and go on. @param {readonly Row[]} rows */
const writeTable = (rows) => {
  const file = `${root}CONTRIBUTING.md`
  const text = readFileSync(file, "utf8")
  const before = Generated.linesOf(text, "parts")
  const lines = parts.flatMap(({ name }) => {
    const now = rows.find((row) => row.name === name)
    return now === undefined ? before.filter((line) => line.startsWith(`| \`${name}\``)) : [lineOf(now)]
  })
  writeFileSync(file, Generated.replaced(text, "parts", tableOf(lines)))
}

/** Plays each file that has failed many times, on the runtimes on which it has. */
const playFlaky = () => {
  const lines = existsSync(Tally.failuresFile) ? readFileSync(Tally.failuresFile, "utf8").split("\n") : []
  /** @type {Map<string, Set<string>>} */
  const files = new Map()
  for (const line of lines.filter(Boolean)) {
    /** @type {import("./tally.mjs").Failure} */
    const { runtime, file } = JSON.parse(line)
    if (existsSync(`${root}${file}`) && file !== "")
      files.set(runtime, (files.get(runtime) ?? new Set()).add(file))
  }
  if (files.size === 0) process.stdout.write("nothing has failed in this checkout\n")
  for (const [runtime, names] of files)
    run(process.execPath, [
      ".ci/flakes.mjs",
      "--rounds",
      String(values.rounds),
      "--load",
      "2",
      "--runtime",
      runtime,
      ...names,
    ])
}

const main = async () => {
  const wanted = chosen()
  Tally.folder()
  install()
  build()
  if (!values.touched) Debian.install()
  const until = performance.now() + values.seconds * 1000
  /** @type {Row[]} */
  const rows = []
  const tell = () => process.stdout.write(`\n${tableOf(rows.map(lineOf))}`)
  process.once("SIGINT", () => {
    const next = wanted[rows.length]?.name
    tell()
    process.stdout.write(`cut; go on with --from ${next}\n`)
    process.exit(130)
  })
  for (const part of wanted) rows.push(await playPart(part, until))
  tell()
  if (values.write) writeTable(rows)
  process.stdout.write(`\n${Tally.summary(Tally.sum())}`)
  process.exitCode = rows.every(({ failed }) => failed === 0) ? 0 : 1
}

if (values.list) for (const { name, says } of parts) process.stdout.write(`${name.padEnd(12)} ${says}\n`)
else if (values.flaky) {
  install()
  build()
  playFlaky()
} else await main()
