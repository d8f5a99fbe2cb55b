// @ts-check
// `npm run sim`: plays the whole system in virtual time, once for each seed, on Node, Bun or Deno. `--help` says how.
//
// The world is core/simulation; this file bundles it and lets the player of that runtime play it.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { binary, install } from "../../../.ci/setup.mjs"
import { bundle } from "./bundle.mjs"

const help = `npm run sim -- [--seeds N] [--from N] [--minutes N] [--mix PROGRAMS] [--jobs N] [--runtime bun|deno]
npm run sim -- --seed N

  --seeds N      how many seeds are played: 1000
  --from N       the first of them: 1
  --seed N       this one alone; ends with "seed N ok, trace HEX", which is the same on every runtime
  --minutes N    virtual minutes in which clients act, before everything heals and ends: 1
  --mix A,B      what clients do: of sessions,files,http,agents, the default, and of waits, drills, records and fleet
  --jobs N       processes that share the seeds: 1
  --lines        prints the whole trace of --seed
  --runtime R    plays on bun or deno instead of Node

The exit code is 1 if an invariant does not hold: the seed, the invariant and the shortest trace are printed.
`

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    minutes: { type: "string", default: "1" },
    mix: { type: "string" },
    jobs: { type: "string", default: "1" },
    runtime: { type: "string", default: "node" },
    lines: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})

if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}

/** @type {Readonly<Record<string, () => readonly string[]>>} */
const runtimes = {
  node: () => [process.execPath],
  bun: () => [binary("@oven", "bin/bun"), "--bun"],
  deno: () => [binary("@deno", "deno"), "run", "-A"],
}

/**
 * A whole number from an option.
 * @param {string} name
 * @param {string} text
 */
const number = (name, text) => {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  process.stderr.write(`--${name} must be a whole number: ${text}\n`)
  process.exit(2)
}

const runtime = runtimes[values.runtime]
if (runtime === undefined) {
  process.stderr.write(`--runtime must be node, bun or deno: ${values.runtime}\n`)
  process.exit(2)
}

install()
const file = await bundle()
const one = values.seed === undefined ? undefined : number("seed", values.seed)
const from = one ?? number("from", values.from)
const seeds = one === undefined ? number("seeds", values.seeds) : 1
const common = {
  minutes: number("minutes", values.minutes),
  lines: values.lines,
  single: one !== undefined,
  mix: values.mix,
}
const [command = "", ...words] = runtime()
const player = fileURLToPath(new URL("player.mjs", import.meta.url))

/**
 * Plays a part of the seeds in a process of its own; its exit code.
 * @param {number} first
 * @param {number} count
 * @returns {Promise<number>}
 */
const play = (first, count) =>
  new Promise((resolve, reject) => {
    const request = JSON.stringify({ ...common, from: first, seeds: count })
    const child = spawn(command, [...words, player, file, request], { stdio: "inherit" })
    child.on("error", reject)
    child.on("close", (code) => resolve(code ?? 1))
  })

const jobs = Math.max(1, Math.min(number("jobs", values.jobs), seeds))
const borders = Array.from({ length: jobs + 1 }, (_, index) => from + Math.floor((index * seeds) / jobs))
const codes = await Promise.all(
  borders.slice(0, -1).map((first, index) => play(first, (borders[index + 1] ?? first) - first)),
)
process.exit(Math.max(...codes))
