// @ts-check
// Plants a fault in the bundled simulation, and plays seeds until one notices.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { root } from "../../../.ci/setup.mjs"
import { bundle } from "../simulation/bundle.mjs"
import { plant } from "./syntax.mjs"

/**
 * @import { Fault } from "./fault.mjs"
 *
 * The violation, and the seed that noticed it.
 * @typedef {{ seed: number, invariant: string, detail: string }} Found
 */

const player = fileURLToPath(new URL("../simulation/player.mjs", import.meta.url))

/** Milliseconds that one seed may take, far more than any needs: a fault with which a run hangs is found, too. */
const patience = 600_000

/**
 * Bundles the simulation with a fault in it.
 * @param {Fault} fault
 * @param {string} outfile
 */
export const planted = ({ file, find, put }, outfile) =>
  bundle(outfile, [
    {
      name: "fault",
      setup: ({ onLoad }) =>
        onLoad({ filter: /\.ts$/ }, ({ path }) => {
          if (path !== join(root, file)) return undefined
          const { text, why } = plant(readFileSync(path, "utf8"), find, put)
          if (text === undefined) throw new Error(why)
          return { contents: text, loader: "ts" }
        }),
    },
  ])

/**
 * Plays seeds, each for a virtual minute of activity, in one process until one fails: what fails; undefined if none
 * does.
 * @param {string} bundled
 * @param {readonly number[]} hunt the seeds
 * @param {string} [mix] the programs that are played, if not the usual ones
 * @returns {Promise<Found | undefined>}
 */
export const play = async (bundled, hunt, mix) => {
  const child = spawn(process.execPath, [player, bundled, JSON.stringify({ hunt, mix, minutes: 1 })], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  /** @type {Found | undefined} */
  let found
  let seed = Number.NaN
  let hangs = false
  const hang = () => {
    hangs = true
    child.kill("SIGKILL")
  }
  let alarm = setTimeout(hang, patience)
  createInterface({ input: child.stdout }).on("line", (line) => {
    clearTimeout(alarm)
    alarm = setTimeout(hang, patience)
    const told = JSON.parse(line)
    seed = told.seed
    if (told.invariant !== undefined) found = told
  })
  /** @type {[code: number | null, signal: string | null]} */
  const [code, signal] = await new Promise((resolve) => child.on("close", (...ended) => resolve(ended)))
  clearTimeout(alarm)
  if (hangs) return { seed, invariant: "it ends", detail: "the run hangs" }
  if (found === undefined && code !== 0)
    return { seed, invariant: "it ends", detail: `the player ended with ${signal ?? code}` }
  return found
}

/**
 * The seed and the invariant that notice a fault, of so many seeds: its own first, then 1, 2, … Undefined if none does.
 * @param {Fault} fault
 * @param {number} most
 * @param {string} outfile for the bundle
 * @returns {Promise<string | undefined>}
 */
export const noticedBy = async (fault, most, outfile) => {
  const { seed: known, mix } = fault
  const counted = Array.from({ length: most }, (_, index) => index + 1)
  const hunt = [...new Set([...(known === undefined ? [] : [known]), ...counted])].slice(0, most)
  const found = await play(await planted(fault, outfile), hunt, mix === "default" ? undefined : mix)
  return found && `seed ${found.seed}: ${found.invariant}`
}
