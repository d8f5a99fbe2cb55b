// @ts-check
// The setup of every script: dependencies as the lock file says, and a build no older than its sources.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** @import { SpawnSyncOptions } from "node:child_process" */

/** The folder of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL("..", import.meta.url))

/** When a file was last changed, in milliseconds; 0 if there is none. @param {string} path */
export const modified = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)

/**
 * Runs npm, by the Node and the npm that run this script if there are such. Its output goes to stderr.
 * @param {string[]} args
 * @param {string} cwd
 * @returns {boolean} true if it succeeded
 */
export const npm = (args, cwd) => {
  const script = process.env["npm_execpath"]
  const [command, words] = script ? [process.execPath, [script, ...args]] : ["npm", args]
  return spawnSync(command, words, { cwd, stdio: ["ignore", process.stderr, "inherit"] }).status === 0
}

/**
 * Installs what the lock file says if it is newer than what is installed. Not by `npm ci`, which refuses a lock file
 * that was made against a registry without the optional packages of other platforms.
 */
export const install = () => {
  if (modified(`${root}node_modules/.package-lock.json`) >= modified(`${root}package-lock.json`)) return
  process.stderr.write("procwire: installing dependencies\n")
  if (npm(["install", "--no-save", "--no-progress"], root)) return
  process.stderr.write("procwire: npm install failed\n")
  process.exit(1)
}

const sources = ["core", "adapters", "conformance"]
const recipes = [
  "package.json",
  ".ci/build.mjs",
  ".ci/bundle.mjs",
  ".ci/procwire.mjs",
  ".ci/web.mjs",
  ".ci/schema/files.mjs",
  ".ci/schema/python.mjs",
]

/** When a source was last changed, in milliseconds. */
export const newestSource = () =>
  Math.max(
    ...sources.flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true })
        .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`)
        .filter((path) => /\.(ts|json|html|css|svg)$/.test(path) && !path.includes("/node_modules/"))
        .map(modified),
    ),
    ...recipes.map((name) => modified(`${root}${name}`)),
  )

/** Builds if any source is newer than the command. */
export const build = () => {
  if (modified(`${root}dist/procwire.cjs`) >= newestSource()) return
  process.stderr.write("procwire: building\n")
  run(process.execPath, [".ci/build.mjs"], { stdio: ["ignore", process.stderr, "inherit"] })
}

/**
 * Runs one step in the repository. If it fails, the script ends with its exit code.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {SpawnSyncOptions} [options]
 */
export const run = (command, args, options = {}) => {
  const { status, signal } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options })
  if (signal !== null) process.stderr.write(`procwire: ${signal} has ended ${[command, ...args].join(" ")}\n`)
  if (status !== 0) process.exit(status ?? 1)
}

/**
 * Runs a tool that npm installed, on this Node.
 * @param {string} path of its script inside node_modules
 * @param {readonly string[]} args
 */
export const tool = (path, args) => run(process.execPath, [`node_modules/${path}`, ...args])

/**
 * The path of another runtime's binary, which npm has as a package for each platform.
 * @param {string} scope
 * @param {string} name
 */
export const binary = (scope, name) => {
  const folder = readdirSync(`${root}node_modules/${scope}`).find((entry) =>
    existsSync(`${root}node_modules/${scope}/${entry}/${name}`),
  )
  if (folder === undefined) throw new Error(`no ${scope} package for this platform is installed`)
  return `${root}node_modules/${scope}/${folder}/${name}`
}

/** @typedef {"node" | "bun" | "deno"} Runtime */

export const runtimeNames = /** @type {const} */ (["node", "bun", "deno"])

/** The words in front of a module that may do everything. @param {Runtime} runtime @returns {[string, ...string[]]} */
export const wordsOf = (runtime) => {
  if (runtime === "node") return [process.execPath]
  if (runtime === "bun") return [binary("@oven", "bin/bun"), "--bun"]
  return [binary("@deno", "deno"), "run", "-A"]
}

/**
 * The command that runs test files on a runtime: those that `files` name; without any all of them, and on Bun and Deno
 * those of core and adapters.
 * @param {Runtime} runtime
 * @param {readonly string[]} files
 * @returns {[command: string, args: string[]]}
 */
export const vitestOn = (runtime, files) => {
  const forked = [...(files.length > 0 ? files : ["core", "adapters"]), "--pool=forks"]
  const [program, ...words] = wordsOf(runtime)
  return [
    program,
    [...words, "node_modules/vitest/vitest.mjs", "run", ...(runtime === "node" ? files : forked)],
  ]
}

/** @param {string} text */
export const heading = (text) => process.stdout.write(`\n== ${text}\n`)
