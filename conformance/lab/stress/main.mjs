// @ts-check
// `node conformance/lab/stress/main.mjs NAME [OPTIONS]` plays one kind of stress against real servers. `NAME --help`
// tells its options, `--list` the names; `all` plays each for its usual seconds, and prints a table.
import { spawnSync } from "node:child_process"
import { command } from "../../../.ci/command.mjs"
import { finish, progress, stackOf } from "./lib/command.mjs"
import { ready } from "./lib/servers.mjs"

const names = "fuzz chaos contain reuse crowd fleet history keep egress".split(" ")
const [, script = "", name = "--list", ...args] = process.argv

/** @param {string} one @returns {Promise<import("./lib/command.mjs").AnyStress>} */
const load = async (one) => (await import(`./${one}.mjs`))[one]

const list = async () => {
  const lines = names.map(async (one) => `${one.padEnd(10)}${(await load(one)).says}\n`)
  process.stdout.write((await Promise.all(lines)).join(""))
}

const all = () => {
  const rows = names.map((one) => {
    const began = performance.now()
    const [encoding, stdio] = /** @type {const} */ (["utf8", ["ignore", "pipe", "inherit"]])
    const { status, stdout } = spawnSync(process.execPath, [script, one], { encoding, stdio: [...stdio] })
    process.stdout.write(stdout)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    const result = status === 0 ? (/^skipped.*$/m.exec(stdout)?.[0] ?? "passed") : "FAILED"
    return `${one.padEnd(10)}${seconds.padStart(7)}  ${result}\n`
  })
  process.stdout.write(`\n${"name".padEnd(10)}seconds  result\n${rows.join("")}`)
  process.exitCode = rows.some((row) => row.endsWith("FAILED\n")) ? 1 : 0
}

/** @param {string} one */
const play = async (one) => {
  const { options, play } = await load(one)
  const { values } = command(new URL(`${one}.mjs`, import.meta.url), { options, args })
  ready()
  const rows = /** @type {[string, string][]} */ ([])
  const failures = /** @type {string[]} */ ([])
  const millis = Number(values["seconds"]) * 1000
  let began = Number.NaN
  await play(values, {
    // From when it is asked first.
    over: () => performance.now() - (began ||= performance.now()) > millis,
    row: (name, value) => {
      rows.push([name, value])
      progress(`${name}: ${value}`)
    },
    fail: (text) => void failures.push(text),
    failed: () => failures.length > 0,
    skip: (why) => {
      process.stdout.write(`skipped: ${why}\n`)
      process.exit(0)
    },
  }).catch((error) => failures.push(stackOf(error)))
  finish(`${one} ${JSON.stringify(values)}`, rows, failures)
}

if (name === "--list") await list()
else if (name === "all") all()
else if (names.includes(name)) await play(name)
else command(import.meta.url, { args: [name] })
