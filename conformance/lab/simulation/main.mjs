// @ts-check
// Plays the whole system in virtual time, once for each seed, on Node, Bun or Deno.
//
//   npm run sim -- [--seeds N] [--from N] [--minutes N] [--mix PROGRAMS] [--jobs N] [--runtime bun|deno]
//   npm run sim -- --seed N
//   npm run sim -- --seconds N [--of-this-commit]
//
//   --seeds N      how many seeds are played: 1000
//   --from N       the first of them: 1
//   --seed N       this one alone; ends with "seed N ok, trace HEX", which is the same on every runtime
//   --seconds N    plays every kind of program in turn, from the same seed on, until so many seconds are over
//   --of-this-commit  from a seed that the last commit gives
//   --minutes N    virtual minutes in which clients act, before everything heals and ends: 1
//   --mix A,B      what clients do: of sessions,files,http,agents, the default, and of waits, drills, records,
//                  viewers, writers and fleet; with keep children outlive their servers
//   --jobs N       processes that share the seeds: 1. The output is the same
//   --lines        prints the whole trace of --seed
//   --runtime R    plays on bun or deno instead of Node
//
// Each minute stderr has how many are played, and with which --from to go on. The exit code is 1 if an invariant does
// not hold: the seed, the invariant and the shortest trace are printed.
import { execFileSync, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { command } from "../../../.ci/command.mjs"
import { install, root, runtimeNames, wordsOf } from "../../../.ci/setup.mjs"
import { bundle } from "./bundle.mjs"
import { playSeeds } from "./seeds.mjs"

const { values } = command(import.meta.url, {
  options: {
    seeds: 1000,
    from: 1,
    seed: Infinity,
    seconds: Infinity,
    "of-this-commit": false,
    minutes: 1,
    mix: "",
    jobs: 1,
    runtime: { usual: "node", of: runtimeNames },
    lines: false,
  },
})

install()
const file = await bundle()
const { minutes, jobs, seeds } = values
const mix = values.mix === "" ? undefined : values.mix
const runtime = wordsOf(/** @type {import("../../../.ci/setup.mjs").Runtime} */ (values.runtime))

/**
 * Plays one seed, as it says itself.
 * @param {number} seed
 */
const playOne = (seed) => {
  const asked = JSON.stringify({ seed, minutes, mix, lines: values.lines })
  const player = fileURLToPath(new URL("player.mjs", import.meta.url))
  const [program, ...words] = runtime
  return spawnSync(program, [...words, player, file, asked], { stdio: "inherit" }).status === 0
}

/**
 * Plays seeds; true if every invariant holds.
 * @param {import("./seeds.mjs").Part} part
 * @param {string} [about] is added to the line about them
 */
const playPart = (part, about = "") =>
  playSeeds(
    { file, command: runtime, parts: [part], jobs, minutes },
    (text) => process.stdout.write(text.replace(/( virtual minutes in [\d.]+ s)\n$/, `$1${about}\n`)),
    (text) => process.stderr.write(text),
  )

/** A seed that the last commit gives: another one for each change, the same for whoever plays it again. */
const ofThisCommit = () => {
  const hash = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim()
  return [...hash].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 1_000_000_007, 7)
}

const first = values["of-this-commit"] ? ofThisCommit() : values.from

/** The mixes that are played in turn, and the number of seeds of each at a time. */
const turns = {
  "sessions,files,http,agents": 16,
  "sessions,viewers": 4,
  "sessions,writers": 4,
  "sessions,viewers,keep": 4,
  drills: 8,
  waits: 4,
  records: 4,
}

/** Plays until the time is over: every kind of program has its turn at least once. @param {number} seconds */
const playFor = async (seconds) => {
  const until = performance.now() + seconds * 1000
  let [played, ok] = [0, true]
  for (let round = 0; round === 0 || performance.now() < until; round += 1)
    for (const [each, seeds] of Object.entries(turns)) {
      if (round > 0 && performance.now() >= until) break
      const from = first + round * seeds
      ok = (await playPart({ from, seeds, mix: each }, ` (${each})`)) && ok
      played += seeds
    }
  process.stdout.write(`${played} seeds played, ${ok ? "none" : "some"} failed\n`)
  return ok
}

const ok =
  values.seconds !== Infinity
    ? await playFor(values.seconds)
    : values.seed !== Infinity
      ? playOne(values.seed)
      : await playPart({ from: first, seeds, mix })
process.exitCode = ok ? 0 : 1
