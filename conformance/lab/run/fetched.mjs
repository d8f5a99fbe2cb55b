// @ts-check
// Packages that only the lab needs. npm installs them into folders of `.cache`.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { npm, root } from "../../../.ci/setup.mjs"

/**
 * The folder of a name.
 * @param {string} name
 */
export const cacheOf = (name) => join(root, ".cache", name)

/**
 * Installs packages into the folder of a name. Progress goes to stderr.
 * @param {string} name
 * @param {readonly string[]} packages
 * @returns {boolean} false if npm cannot provide them
 */
export const fetchInto = (name, packages) => {
  const folder = cacheOf(name)
  process.stderr.write(`fetching ${packages.join(" ")}\n`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n')
  const quiet = ["--no-save", "--no-audit", "--no-fund", "--no-progress", "--ignore-scripts"]
  return npm(["install", ...quiet, ...packages], folder)
}
