// Packages that only these scripts need, fetched with npm into a folder of `.cache`.
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../../.ci/setup.mjs"

/** Where the packages of a name lie. */
export const cacheOf = (name) => join(root, ".cache", name)

/** Installs packages into a folder of their own; false if npm cannot provide them. Progress goes to stderr. */
export const fetchInto = (name, packages) => {
  const folder = cacheOf(name)
  process.stderr.write(`fetching ${packages.join(" ")}\n`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n')
  const quiet = ["--no-save", "--no-audit", "--no-fund", "--no-progress", "--ignore-scripts"]
  const wanted = ["install", ...quiet, ...packages]
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm, ...wanted]] : ["npm", wanted]
  return spawnSync(command, args, { cwd: folder, stdio: ["ignore", process.stderr, "inherit"] }).status === 0
}
