// The runtimes that procwire runs on: this Node, the other lines of Node that npm provides for this platform, Bun and
// Deno. Each with the commands that start the server and the conformance command on it.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { binary, root } from "../../../.ci/setup.mjs"
import { cacheOf, fetchInto } from "./fetched.mjs"

/** The lines of Node that are proved, beside whichever runs this. */
const lines = [20, 22, 24]

const quoted = (words) => words.map((word) => `'${word}'`).join(" ")

/** `v20.20.2`, `1.4.5` and `deno 2.9.6 (…)` alike. */
const versionOf = (program) =>
  /\d+\.\d+\.\d+/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[0] ?? "unknown"

const runtime = (name, program, { server, conformance, spawner }, least = program, bundled = undefined) => ({
  name,
  version: versionOf(program[0]),
  /** What `procwire-conformance --command` takes. */
  server: `${quoted([...least, join(root, server)])} serve --listen {LISTEN}`,
  /** The same from one file, which starts sooner: over stdio every connection has a server of its own. */
  bundled: `${quoted(bundled ?? [...least, join(root, server)])} serve --listen {LISTEN}`,
  /** The conformance command, run by this runtime itself. */
  conformance: [...program, join(root, conformance)],
  /** The module with its spawner. */
  spawner: join(root, spawner),
})

const built = {
  server: "dist/procwire.mjs",
  conformance: "dist/procwire-conformance.mjs",
  spawner: "dist/adapters/node/index.js",
}

const source = (name) => ({
  server: `adapters/${name}/main.ts`,
  conformance: "conformance/cli.ts",
  spawner: `adapters/${name}/index.ts`,
})

const thisLine = Number(process.versions.node.split(".")[0])

/** A Node of another line from its package for this platform; undefined where npm has none. */
const nodeOf = (line) => {
  const name = `node-${process.platform}-${process.arch}`
  const path = join(cacheOf(`node${line}`), "node_modules", name, "bin", "node")
  if (!existsSync(path)) fetchInto(`node${line}`, [`${name}@${line}`])
  return existsSync(path) ? path : undefined
}

const bun = () => [binary("@oven", "bin/bun")]
const deno = () => [binary("@deno", "deno"), "run"]
/** The server needs what deno.json says, the suite more. */
const leastDeno = () => [...deno(), "--quiet", "--no-prompt", "-P"]

/** The words that start our server on a runtime: `node` (this one), `bun` or `deno`. */
export const serverOn = (name) => {
  const words = {
    node: () => [process.execPath, join(root, built.server)],
    bun: () => [...bun(), join(root, source("bun").server)],
    deno: () => [...leastDeno(), join(root, source("deno").server)],
  }[name]
  if (words === undefined) throw new Error(`no runtime is called ${name}`)
  return [...words(), "serve"]
}

/** Bun's executable, and the bundle that Deno's has in it. */
const bundles = {
  bun: () => {
    execFileSync(process.execPath, [join(root, ".ci/bun.mjs")], { stdio: ["ignore", "ignore", "inherit"] })
    return [join(root, "dist/procwire-bun")]
  },
  deno: () => {
    execFileSync(process.execPath, [join(root, ".ci/deno.mjs"), "--bundle"], {
      stdio: ["ignore", "ignore", "inherit"],
    })
    return [...leastDeno(), join(root, ".cache/single/procwire.mjs")]
  },
}

/** Every runtime at hand. Those that npm cannot provide are named on stderr and left out. */
export const runtimes = () => {
  const nodes = [...new Set([...lines, thisLine])].sort((a, b) => a - b)
  const found = nodes.flatMap((line) => {
    const path = line === thisLine ? process.execPath : nodeOf(line)
    if (path === undefined) process.stderr.write(`npm has no Node ${line} for this platform: not proved\n`)
    return path === undefined ? [] : [runtime(`Node ${line}`, [path], built)]
  })
  return [
    ...found,
    runtime("Bun", bun(), source("bun"), bun(), bundles.bun()),
    runtime("Deno", [...deno(), "--allow-all"], source("deno"), leastDeno(), bundles.deno()),
  ]
}
