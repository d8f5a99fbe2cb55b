// @ts-check
// `npm run lab -- flakes --rounds 200 --load 8`: plays the tests again and again beside busy processes, and tells which
// of them do not always pass. `--help` has the options. It exits with 1 if a test has failed, with 2 for wrong use.
import { spawn } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { parseArgs } from "node:util"
import { round, tally } from "./flakes/rounds.mjs"
import { build, heading, install, root } from "./setup.mjs"

/** @import { Runtime } from "./setup.mjs" */

const help = `npm run lab -- flakes [options] [PATH...]

Plays the test files whose paths contain a PATH (default: all; of core and adapters on Bun and Deno), in rounds.

  --rounds N         rounds (default 20)
  --load N           busy processes beside them (default 8; 0 for none)
  --runtime NAME     node, bun or deno (default node)
  --seconds N        ends after so many seconds, in the middle of a round if need be (default: no bound)

Each failure is printed, with the log of its round in dist/flakes; at the end there is a table.
`

/** @returns {never} @param {string} message */
const misused = (message) => {
  process.stderr.write(`npm run lab -- flakes: ${message}\ntry --help\n`)
  process.exit(2)
}

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: "string", default: "20" },
        load: { type: "string", default: "8" },
        runtime: { type: "string", default: "node" },
        seconds: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    })
  } catch (error) {
    return misused(error instanceof Error ? error.message : String(error))
  }
}

/** @param {string} name @param {string} text @param {number} least */
const whole = (name, text, least) =>
  /^\d+$/.test(text) && Number(text) >= least
    ? Number(text)
    : misused(`--${name} ${text}: expected a whole number from ${least}`)

/** @param {string} name @returns {Runtime} */
const toRuntime = (name) =>
  name === "node" || name === "bun" || name === "deno"
    ? name
    : misused(`--runtime ${name}: expected node, bun or deno`)

const { values, positionals } = read()
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}
const rounds = whole("rounds", values.rounds, 1)
const load = whole("load", values.load, 0)
const runtime = toRuntime(values.runtime)
const until =
  values.seconds === undefined ? Infinity : Date.now() + whole("seconds", values.seconds, 1) * 1000

/** Keeps a core busy until this process has ended, however it ends. */
const busy = `for (;;) {
  for (const end = Date.now() + 200; Date.now() < end; );
  if (process.ppid !== ${process.pid}) process.exit()
}`

const main = async () => {
  const files = positionals
  install()
  build()
  if (runtime !== "node") {
    const { provide } = await import("./tested.mjs")
    await provide(runtime)
  }
  const folder = `${root}dist/flakes`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const of = files.length > 0 ? files.join(" ") : "all test files"
  heading(`${rounds} rounds of ${of} on ${runtime}, beside ${load} busy processes`)
  const loads = Array.from({ length: load }, () => spawn(process.execPath, ["-e", busy], { stdio: "ignore" }))
  const table = tally()
  try {
    for (let number = 1; number <= rounds; number++) {
      const result = await round({ number, files, runtime, folder, until })
      if (result === undefined) {
        process.stdout.write(`the time is over: ${number - 1} of ${rounds} rounds were played to their end\n`)
        break
      }
      table.add(result)
      const failures = result.failures.length
      const outcome = failures === 0 ? "passed" : `${failures} FAILED: ${result.log}`
      process.stdout.write(
        `round ${number} of ${rounds}: ${outcome} (${result.tests} tests, ${result.seconds} s)\n`,
      )
      for (const { file, test, message } of result.failures) {
        process.stdout.write(`  ${file} > ${test}\n${message.replace(/^/gm, "    ")}\n`)
      }
    }
  } finally {
    for (const one of loads) one.kill("SIGKILL")
  }
  process.stdout.write(table.text())
  process.exitCode = table.failed() ? 1 : 0
}

await main()
