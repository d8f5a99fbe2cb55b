// @ts-check
// The runtimes that procwire runs on: this Node, the other lines of Node that npm has for this platform, Bun and Deno.
// Each with the commands that start the server and the conformance suite on it.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { binary, root } from "../../../.ci/setup.mjs"
import { cacheOf, fetchInto } from "./fetched.mjs"
import { quoted } from "./quoted.mjs"

/**
 * @typedef {object} Runtime
 * @property {string} name
 * @property {string} version
 * @property {string} server what `procwire-conformance --command` takes
 * @property {string} bundled the same server from one file, which starts sooner: over stdio each connection has its own
 * @property {readonly string[]} conformance the words that start the conformance suite on this runtime
 * @property {string} spawner the module with its spawner
 *
 * @typedef {{ server: string, conformance: string, spawner: string }} Files paths from the root
 * @typedef {"node" | "bun" | "deno"} Name
 */

/** The lines of Node that are proved, in addition to the one that runs this. */
const lines = [20, 22, 24]

/** The words behind a command that make it listen: the suite replaces `{LISTEN}`. */
const serve = ["serve", "--listen", "{LISTEN}"]

/** @param {Name} name @param {string} [program] */
const listening = (name, program) => quoted(serverOn(name, { flags: serve.slice(1), program }))

/** @param {string} program @returns {string} */
const versionOf = (program) =>
  /\d+\.\d+\.\d+/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[0] ?? "unknown"

/** @type {Files} */
const built = {
  server: "dist/procwire.cjs",
  conformance: "dist/procwire-conformance.mjs",
  spawner: "dist/adapters/node/effect.js",
}

/** @param {Name} name @returns {Files} */
const source = (name) => ({
  server: `adapters/${name}/main.ts`,
  conformance: "conformance/cli.ts",
  spawner: "adapters/node/effect.ts",
})

const thisLine = Number(process.versions.node.split(".")[0])

/**
 * A Node of another line, from its package for this platform.
 * @param {number} line
 * @returns {string | undefined} undefined if npm has none
 */
const nodeOf = (line) => {
  const name = `node-${process.platform}-${process.arch}`
  const path = join(cacheOf(`node${line}`), "node_modules", name, "bin", "node")
  if (!existsSync(path)) fetchInto(`node${line}`, [`${name}@${line}`])
  return existsSync(path) ? path : undefined
}

const bunBinary = () => binary("@oven", "bin/bun")
const denoBinary = () => binary("@deno", "deno")

/** @type {Record<Name, () => string[]>} The words in front of our command on a runtime. */
const commands = {
  node: () => [process.execPath],
  bun: () => [bunBinary()],
  // With the permissions of deno.json; the suite needs more.
  deno: () => [denoBinary(), "run", "--quiet", "--no-prompt", "-P"],
}

/** @param {string} name @returns {name is Name} */
const isName = (name) => Object.hasOwn(commands, name)

/**
 * The words that start our server on a runtime. On Deno a server that keeps reads /proc with all permissions.
 * @param {string} name `node` (this one), `bun` or `deno`
 * @param {{ readonly flags?: readonly string[], readonly tree?: string, readonly program?: string | undefined }} [more]
 *   `tree` is a folder with another tree, which is built; `program` another file with the command
 */
export const serverOn = (name, { flags = [], tree = root, program } = {}) => {
  if (!isName(name)) throw new Error(`no runtime is called ${name}`)
  const permitted = (/** @type {string} */ word) => (word === "-P" && flags.includes("--keep") ? "-A" : word)
  const file = program ?? join(tree, name === "node" ? built.server : source(name).server)
  return [...commands[name]().map(permitted), file, "serve", ...flags]
}

/** @param {string} script @param {readonly string[]} args */
const make = (script, ...args) =>
  execFileSync(process.execPath, [join(root, script), ...args], { stdio: ["ignore", "ignore", "inherit"] })

/** @param {number} line @param {string} program @returns {Promise<Runtime>} */
const node = async (line, program) => {
  const server = await quoted([program, join(root, built.server), ...serve])
  return {
    name: `Node ${line}`,
    version: versionOf(program),
    server,
    bundled: server,
    conformance: [program, join(root, built.conformance)],
    spawner: join(root, built.spawner),
  }
}

/** @returns {Promise<Runtime>} */
const bun = async () => {
  make(".ci/bun.mjs")
  return {
    name: "Bun",
    version: versionOf(bunBinary()),
    server: await listening("bun"),
    bundled: await quoted([join(root, "dist/procwire-bun"), ...serve]),
    conformance: [bunBinary(), join(root, source("bun").conformance)],
    spawner: join(root, source("bun").spawner),
  }
}

/** @returns {Promise<Runtime>} */
const deno = async () => {
  make(".ci/deno.mjs", "--bundle")
  return {
    name: "Deno",
    version: versionOf(denoBinary()),
    server: await listening("deno"),
    bundled: await listening("deno", join(root, ".cache/single/procwire.mjs")),
    conformance: [denoBinary(), "run", "--allow-all", join(root, source("deno").conformance)],
    spawner: join(root, source("deno").spawner),
  }
}

/** Every runtime that can be had. Lines of Node that npm lacks are named on stderr and left out. */
export const runtimes = async () => {
  const nodes = [...new Set([...lines, thisLine])].sort((a, b) => a - b)
  const found = nodes.flatMap((line) => {
    const program = line === thisLine ? process.execPath : nodeOf(line)
    if (program !== undefined) return [node(line, program)]
    process.stderr.write(`npm has no Node ${line} for this platform: not proved\n`)
    return []
  })
  return Promise.all([...found, bun(), deno()])
}
