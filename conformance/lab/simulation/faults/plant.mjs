// @ts-check
// Plants a fault in the bundled core, and plays seeds until one notices.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { root } from "../../../../.ci/setup.mjs"
import { bundle } from "../bundle.mjs"

/** @import { Fault } from "./fault.mjs" */

/**
 * What was noticed, and by which seed.
 * @typedef {{ seed: number, invariant: string, detail: string }} Found
 */

const player = fileURLToPath(new URL("../player.mjs", import.meta.url))

/** Milliseconds that one seed may take, far more than any needs: a fault with which a run hangs is found, too. */
const patience = 600_000

/**
 * How often the text of a fault occurs in its file: once, if it can be planted.
 * @param {Fault} fault
 */
export const occurrences = ({ file, find }) => readFileSync(join(root, file), "utf8").split(find).length - 1

/**
 * Bundles the simulation with that fault in it.
 * @param {Fault} fault
 * @param {string} outfile
 */
export const plant = ({ file, find, replace }, outfile) =>
  bundle(outfile, [
    {
      name: "fault",
      setup: ({ onLoad }) =>
        onLoad({ filter: /\.ts$/ }, ({ path }) => {
          if (path !== join(root, file)) return undefined
          return { contents: readFileSync(path, "utf8").replace(find, () => replace), loader: "ts" }
        }),
    },
  ])

/**
 * Plays seeds, each for a virtual minute of activity, in one process until one fails: what fails; undefined if none
 * does.
 * @param {string} bundled
 * @param {readonly number[]} hunt the seeds
 * @param {string} [mix] the programs that are played, if not the usual ones
 * @param {(seed: number) => void} [begins] is called with each seed before it is played
 * @returns {Promise<Found | undefined>}
 */
export const play = async (bundled, hunt, mix, begins = () => {}) => {
  const child = spawn(process.execPath, [player, bundled, JSON.stringify({ hunt, mix, minutes: 1 })], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  /** @type {Found | undefined} */
  let found
  let seed = NaN
  let hangs = false
  const hang = () => {
    hangs = true
    child.kill("SIGKILL")
  }
  let alarm = setTimeout(hang, patience)
  const lines = createInterface({ input: child.stdout })
  lines.on("line", (line) => {
    clearTimeout(alarm)
    alarm = setTimeout(hang, patience)
    const told = JSON.parse(line)
    seed = told.seed
    if (told.invariant === undefined) begins(seed)
    else found = told
  })
  /** @type {[code: number | null, signal: string | null]} */
  const [code, signal] = await new Promise((resolve) => child.on("close", (...ended) => resolve(ended)))
  clearTimeout(alarm)
  if (hangs) return { seed, invariant: "it ends", detail: "the run hangs" }
  if (found === undefined && code !== 0)
    return { seed, invariant: "it ends", detail: `the player ended with ${signal ?? code}` }
  return found
}
