// @ts-check
// Packages that only the lab needs. npm installs them into folders of `.cache`.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { npm, root } from "../../../.ci/setup.mjs"

/**
 * The folder of a name.
 * @param {string} name
 */
export const cacheOf = (name) => join(root, ".cache", name)

/**
 * Installs packages into the folder of a name, which is there only when they are: another process may look for them, or
 * install them at the same time. Progress goes to stderr.
 * @param {string} name
 * @param {readonly string[]} packages
 * @returns {boolean} false if npm cannot provide them
 */
export const fetchInto = (name, packages) => {
  const folder = cacheOf(name)
  process.stderr.write(`fetching ${packages.join(" ")}\n`)
  if (existsSync(folder)) return installIn(folder, packages)
  mkdirSync(cacheOf(""), { recursive: true })
  const made = mkdtempSync(`${folder}-`)
  try {
    if (!installIn(made, packages)) return false
    renameSync(made, folder)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  return true
}

/** @param {string} folder @param {readonly string[]} packages */
const installIn = (folder, packages) => {
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n')
  const quiet = ["--no-save", "--no-audit", "--no-fund", "--no-progress", "--ignore-scripts"]
  return npm(["install", ...quiet, ...packages], folder)
}
