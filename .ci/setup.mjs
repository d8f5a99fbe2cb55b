// What every script needs first: dependencies as the lock file says, and a build no older than its sources.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url))

const modified = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)

/**
 * Installs what the lock file says if it is newer than what is installed. Progress goes to stderr. Not
 * `npm ci`: that refuses a lock file made where a registry lacks other platforms' optional packages.
 */
export const install = () => {
  if (modified(`${root}node_modules/.package-lock.json`) >= modified(`${root}package-lock.json`)) return
  process.stderr.write("procwire: installing dependencies\n")
  const wanted = ["install", "--no-save", "--no-progress"]
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm, ...wanted]] : ["npm", wanted]
  const { status } = spawnSync(command, args, { cwd: root, stdio: ["ignore", process.stderr, "inherit"] })
  if (status !== 0) {
    process.stderr.write("procwire: npm install failed\n")
    process.exit(1)
  }
}

const sources = ["core", "adapters", "conformance"]

const newestSource = () =>
  Math.max(
    ...sources.flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true })
        .filter((entry) => /\.(ts|json)$/.test(entry.name))
        .map((entry) => modified(`${entry.parentPath ?? entry.path}/${entry.name}`)),
    ),
    modified(`${root}package.json`),
    modified(`${root}.ci/build.mjs`),
  )

/** Builds if any source is newer than the command. */
export const build = () => {
  if (modified(`${root}dist/procwire.mjs`) >= newestSource()) return
  process.stderr.write("procwire: building\n")
  run(process.execPath, [".ci/build.mjs"], { stdio: ["ignore", process.stderr, "inherit"] })
}

/** Runs one step in the repository; a failing one ends the script with its exit code. */
export const run = (command, args, options = {}) => {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options })
  if (status !== 0) process.exit(status ?? 1)
}

/** A tool that npm installed, by the path inside node_modules, run by this Node. */
export const tool = (path, args) => run(process.execPath, [`node_modules/${path}`, ...args])

/** The binaries of the other runtimes: npm has them as packages per platform. */
export const binary = (scope, name) => {
  const folder = readdirSync(`${root}node_modules/${scope}`).find((entry) =>
    existsSync(`${root}node_modules/${scope}/${entry}/${name}`),
  )
  if (folder === undefined) throw new Error(`no ${scope} package for this platform is installed`)
  return `${root}node_modules/${scope}/${folder}/${name}`
}
