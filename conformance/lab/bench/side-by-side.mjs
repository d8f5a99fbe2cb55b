// @ts-check
// `npm run bench`: procwire on Node, Bun and Deno and as Bun's single file against the real peer, and against another
// commit, interleaved in one run, over stdio and WebSocket.
//
// npm fetches the peer, as for `npm run lab -- codex`. Writes what it measured to `.cache/bench/`.
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { build, install, root, run } from "../../../.ci/setup.mjs"
import { fetchedPeer } from "../run/peer.mjs"
import { serverOn } from "../run/runtimes.mjs"
import { checkout, commitOf } from "./lib/against.mjs"
import { againstTable, countTable } from "./lib/table.mjs"

/** @import { Server } from "./lib/native.mjs" */

const kinds = ["node", "bun", "deno", "bun-file"]

const help = `Measures procwire beside the real peer, interleaved in one run.

Usage: npm run bench -- [OPTIONS]

  --against REF      also builds that commit in a scratch worktree, and compares it with this one, row by row
  --on NAME,NAME     some of ${kinds.join(", ")} [default: all]
  --without-peer     leaves the peer out
  --without-counts   no runs that count system calls and garbage
  --reps N           repetitions [default: 3]
  --only W2,W5-tty   some workloads (W4 takes all of W4): README.md lists them
  --transports LIST  stdio, ws or both [default: stdio,ws]
  --quick            small sizes
  -h, --help         show this text

Writes results.json, results.md, counts.md and against.md to .cache/bench/. Progress goes to stderr.
Exit code 0: measured; 1: something could not be built or started; 2: wrong use.
`

/** @param {string} text @returns {never} */
const wrong = (text) => {
  process.stderr.write(`bench: ${text}; --help lists the options\n`)
  process.exit(2)
}

const parsed = () => {
  try {
    return parseArgs({
      options: {
        against: { type: "string" },
        on: { type: "string", default: kinds.join(",") },
        "without-peer": { type: "boolean", default: false },
        "without-counts": { type: "boolean", default: false },
        reps: { type: "string", default: "3" },
        only: { type: "string" },
        transports: { type: "string", default: "stdio,ws" },
        quick: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values
  } catch (error) {
    return wrong(error instanceof Error ? (error.message.split(/[.\n]/)[0] ?? "") : String(error))
  }
}

/** @param {string} name @param {readonly string[]} command @param {Record<string, string>} [env] @returns {Server} */
const server = (name, command, env = {}) => ({
  name,
  env,
  stdio: [...command, "--listen", "stdio"],
  ws: [...command, "--listen", "ws://127.0.0.1:{PORT}"],
})

const peer = () => {
  const { binary, env } = fetchedPeer()
  return server("codex", [binary, "exec-server"], env)
}

/** procwire of a folder. @param {string} kind @param {string} suffix @param {string} folder @returns {Server} */
const ours = (kind, suffix, folder) => {
  const command = kind === "bun-file" ? [join(folder, "dist/procwire-bun"), "serve"] : serverOn(kind, folder)
  const itself = command.slice(0, -1)
  // Deno lets a program read /proc, by which a server in the background is ended, with all permissions only.
  const ps = [...itself.map((word) => (word === "-P" ? "-A" : word)), "ps"]
  return { ...server(`${kind}${suffix}`, command), run: [...itself, "run", "--", "true"], ps }
}

compare()

function compare() {
  const options = parsed()
  if (options.help) return process.stdout.write(help)
  const on = options.on.split(",")
  for (const kind of on)
    if (!kinds.includes(kind)) wrong(`--on ${kind}: no such server; there are ${kinds.join(", ")}`)
  if (!(Number.isInteger(Number(options.reps)) && Number(options.reps) > 0))
    wrong(`--reps ${options.reps}: wants a whole number from 1`)
  for (const transport of options.transports.split(","))
    if (transport !== "stdio" && transport !== "ws") wrong(`--transports ${transport}: stdio, ws or both`)
  const commit = options.against === undefined ? undefined : commitOf(options.against)
  if (options.against !== undefined && commit === undefined)
    wrong(`--against ${options.against}: no such commit`)

  install()
  build()
  if (on.includes("bun-file")) run(process.execPath, [".ci/bun.mjs"])
  const folder = join(root, ".cache", "bench")
  mkdirSync(folder, { recursive: true })
  const other = commit === undefined ? undefined : checkout(commit, { bunFile: on.includes("bun-file") })
  const servers = [
    ...(options["without-peer"] ? [] : [peer()]),
    ...on.flatMap((kind) => [
      ...(other === undefined ? [] : [ours(kind, `@${other.name}`, other.folder)]),
      ours(kind, "", root),
    ]),
  ]
  writeFileSync(join(folder, "servers.json"), JSON.stringify(servers))
  const results = join(folder, "results.json")
  const words = [
    `--config=${join(folder, "servers.json")}`,
    `--out=${results}`,
    `--md=${join(folder, "results.md")}`,
    `--reps=${options.reps}`,
    `--transports=${options.transports}`,
    ...(options.only === undefined ? [] : [`--only=${options.only}`]),
    ...(options.quick ? ["--quick"] : []),
    ...(options["without-counts"] ? [] : [`--counts=${join(folder, "counts")}`]),
  ]
  const bench = join(root, "conformance/lab/bench/bench.mjs")
  // Deno finds deno.json, and so its permissions, in the folder that it is started in.
  const { status } = spawnSync(process.execPath, [bench, ...words], { cwd: root, stdio: "inherit" })
  other?.remove()
  if (status !== 0) process.exit(1)
  const measured = JSON.parse(readFileSync(results, "utf8"))
  const names = servers.map(({ name }) => name)
  if (!options["without-counts"]) writeFileSync(join(folder, "counts.md"), countTable(measured, names))
  if (other !== undefined) {
    const pairs = on.map((kind) => ({ now: kind, before: `${kind}@${other.name}` }))
    const text = againstTable(measured, pairs)
    writeFileSync(join(folder, "against.md"), text)
    process.stdout.write(text)
  }
}
