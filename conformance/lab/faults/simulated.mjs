// @ts-check
// Plants a fault in the bundled simulation, and plays seeds until one notices.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../../.ci/setup.mjs"
import { bundle } from "../simulation/bundle.mjs"
import { share } from "../simulation/seeds.mjs"
import { plant } from "./syntax.mjs"

/** @import { Fault } from "./fault.mjs" */

/** @type {[string]} */
const node = [process.execPath]

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
 * The seed and the invariant that notice a fault, of so many seeds: its own first, then 1, 2, … Undefined if none does.
 * @param {Fault} fault
 * @param {number} most
 * @param {string} outfile for the bundle
 * @returns {Promise<string | undefined>}
 */
export const noticedBy = async (fault, most, outfile) => {
  const mix = fault.mix === "default" ? undefined : fault.mix
  const known = fault.seed === undefined ? [] : [{ from: fault.seed, seeds: 1, mix }].slice(0, most)
  const parts = [...known, { from: 1, seeds: most - known.length, mix }]
  const file = await planted(fault, outfile)
  /** @type {string | undefined} */
  let notice
  const request = { file, command: node, parts, minutes: 1, hunts: true, patience }
  const broken = await share(request, 0, 1, ({ text }) => (notice = text))
  return notice ?? broken
}
