// @ts-check
// Plays seeds in one process or in several, and tells of them in the order of the seeds: what is printed is the same.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/**
 * @typedef {object} Request
 * @property {string} file the bundle
 * @property {readonly [string, ...string[]]} command the runtime
 * @property {readonly Part[]} parts what is played, one part after the other
 * @property {number} jobs processes that share the seeds
 * @property {number} minutes virtual minutes of activity
 * @property {boolean} [hunts] the first seed that fails ends it
 * @property {number} [patience] milliseconds that a seed may take; the process that plays a longer one is killed
 *
 * @typedef {{ from: number, seeds: number, mix?: string | undefined }} Part so many seeds from one on; `mix` is what
 * is played, if not the usual programs
 *
 * The words of a player about a seed: its place in the list of all, the virtual milliseconds, and its fault in words.
 * @typedef {{ place: number, millis: number, text?: string }} Told
 */

const player = fileURLToPath(new URL("player.mjs", import.meta.url))

/** @param {readonly Part[]} parts */
const count = (parts) => parts.reduce((sum, { seeds }) => sum + seeds, 0)

/**
 * Plays every `step`th seed of a request from a place on, in a process of its own. Undefined, or why not all of them
 * were played.
 * @param {Omit<Request, "jobs">} request
 * @param {number} first
 * @param {number} step
 * @param {(told: Told) => void} tell
 * @returns {Promise<string | undefined>}
 */
export const share = async (request, first, step, tell) => {
  const { file, parts, minutes, hunts, patience } = request
  const [command, ...words] = request.command
  const asked = JSON.stringify({ parts, first, step, minutes, hunts })
  const child = spawn(command, [...words, player, file, asked], { stdio: ["ignore", "pipe", "inherit"] })
  let next = first
  const watch = () => (patience === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), patience))
  let alarm = watch()
  const lines = createInterface({ input: child.stdout })
  lines.on("line", (line) => {
    clearTimeout(alarm)
    alarm = watch()
    const told = JSON.parse(line)
    next = told.place + step
    tell(told)
  })
  const read = new Promise((resolve) => lines.on("close", resolve))
  /** @type {[code: number | null, signal: string | null]} */
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (...ended) => resolve(ended))
  })
  await read
  clearTimeout(alarm)
  if (next >= count(parts)) return undefined
  const [part] = placesOf(parts)
    .filter(({ begin }) => begin <= next)
    .slice(-1)
  const seed = (part?.from ?? 0) + next - (part?.begin ?? 0)
  return `the player ended with ${signal ?? code} before seed ${seed}`
}

/** The parts with the place of their first seed. @param {readonly Part[]} parts */
const placesOf = (parts) => parts.map((part, index) => ({ ...part, begin: count(parts.slice(0, index)) }))

/** Milliseconds between two lines of progress. */
const tellEvery = 60_000

/**
 * Plays them; true if every invariant holds. `print` gets what failed in the order of the seeds, and a line about each
 * part; `progress` now and then the seed from which on to go on, were it ended now.
 * @param {Request} request
 * @param {(text: string) => void} print
 * @param {(text: string) => void} [progress]
 */
export const playSeeds = async (request, print, progress = () => {}) => {
  const { parts } = request
  const jobs = Math.max(1, Math.min(request.jobs, count(parts)))
  let begin = performance.now()
  let told = begin
  /** @type {Map<number, Told>} */
  const early = new Map()
  const left = placesOf(parts)
  let [next, virtual, ok] = [0, 0, true]
  /** @type {number[]} */
  let failed = []
  /** @param {string} [result] */
  const end = (
    result = failed.length === 0
      ? "ok"
      : `${failed.length} of ${left[0]?.seeds} failed (${failed.join(", ")})`,
  ) => {
    const { from = 0, seeds = 0 } = left.shift() ?? {}
    const seconds = ((performance.now() - begin) / 1000).toFixed(1)
    print(
      `seeds ${from} to ${from + seeds - 1} ${result}: ${Math.round(virtual)} virtual minutes in ${seconds} s\n`,
    )
    ;[virtual, failed, begin] = [0, [], performance.now()]
  }
  /** @param {Told} news */
  const tell = (news) => {
    early.set(news.place, news)
    for (let one = early.get(next); one !== undefined; one = early.get(next)) {
      early.delete(next)
      next += 1
      virtual += one.millis / 60_000
      const [part] = left
      if (one.text !== undefined) {
        failed.push((part?.from ?? 0) + one.place - (part?.begin ?? 0))
        ok = false
        print(`${one.text}\n`)
      }
      if (part === undefined) continue
      if (next === part.begin + part.seeds) end()
      else if (performance.now() - told >= tellEvery) {
        told = performance.now()
        const played = next - part.begin
        progress(
          `${played} of ${part.seeds} played, ${failed.length} failed; go on with --from ${part.from + played}\n`,
        )
      }
    }
  }
  const shares = Array.from({ length: jobs }, (_, index) => share(request, index, jobs, tell))
  const broken = (await Promise.all(shares)).filter((reason) => reason !== undefined)
  for (const reason of broken) print(`${reason}\n`)
  while (left.length > 0) end(broken.length > 0 ? "were not all played" : "ok")
  return ok && broken.length === 0
}
