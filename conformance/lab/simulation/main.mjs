// @ts-check
// `npm run sim`: plays the whole system in virtual time, once for each seed, on Node, Bun or Deno. `--help` says how.
//
// The world is core/simulation; this file bundles it and lets the player of that runtime play it.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { binary, install } from "../../../.ci/setup.mjs"
import { bundle } from "./bundle.mjs"
import { playSeeds } from "./seeds.mjs"

const help = `npm run sim -- [--seeds N] [--from N] [--minutes N] [--mix PROGRAMS] [--jobs N] [--runtime bun|deno]
npm run sim -- --seed N

  --seeds N      how many seeds are played: 1000
  --from N       the first of them: 1
  --seed N       this one alone; ends with "seed N ok, trace HEX", which is the same on every runtime
  --minutes N    virtual minutes in which clients act, before everything heals and ends: 1
  --mix A,B      what clients do: of sessions,files,http,agents, the default, and of waits, drills, records,
                 viewers, writers and fleet
  --jobs N       processes that share the seeds: 1. What is printed is the same
  --lines        prints the whole trace of --seed
  --runtime R    plays on bun or deno instead of Node

Each minute stderr has how many are played, and with which --from to go on.
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
const [minutes, mix] = [number("minutes", values.minutes), values.mix]
const [binaryFile = "", ...words] = runtime()

/**
 * Plays one seed, as it says itself.
 * @param {number} seed
 */
const playOne = (seed) => {
  const asked = JSON.stringify({ seed, minutes, mix, lines: values.lines })
  const player = fileURLToPath(new URL("player.mjs", import.meta.url))
  return spawnSync(binaryFile, [...words, player, file, asked], { stdio: "inherit" }).status === 0
}

const playAll = () =>
  playSeeds(
    {
      file,
      command: [binaryFile, ...words],
      parts: [{ from: number("from", values.from), seeds: number("seeds", values.seeds), mix }],
      jobs: number("jobs", values.jobs),
      minutes,
    },
    (text) => process.stdout.write(text),
    (text) => process.stderr.write(text),
  )

const ok = values.seed === undefined ? await playAll() : playOne(number("seed", values.seed))
process.exitCode = ok ? 0 : 1
