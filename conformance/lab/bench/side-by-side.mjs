// @ts-check
// `npm run bench`: procwire on Node, Bun and Deno and as Bun's single file against the real peer, interleaved in one
// run, over stdio and WebSocket.
//
// npm fetches the peer, as for `npm run conformance:codex`; arguments go to the benchmark (`--reps 5`, `--only w2,w4`).
// `--without-peer` leaves the peer out. Writes `.cache/bench/results.md`, and `.cache/bench/table.md` for the README.
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build, install, root, run } from "../../../.ci/setup.mjs"
import { fetchedPeer } from "../run/peer.mjs"
import { serverOn } from "../run/runtimes.mjs"
import { table } from "./lib/table.mjs"

/** @import { Server } from "./lib/native.mjs" */

install()
build()
run(process.execPath, [".ci/bun.mjs"])
const folder = join(root, ".cache", "bench")
mkdirSync(folder, { recursive: true })

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

const args = process.argv.slice(2)
const servers = [
  ...(args.includes("--without-peer") ? [] : [peer()]),
  ...["node", "bun", "deno"].map((name) => server(name, serverOn(name))),
  server("bun-file", [join(root, "dist/procwire-bun"), "serve"]),
]
writeFileSync(join(folder, "servers.json"), JSON.stringify(servers))
const results = join(folder, "results.json")
const config = [
  "--config",
  join(folder, "servers.json"),
  "--out",
  results,
  "--md",
  join(folder, "results.md"),
]
const bench = join(root, "conformance/lab/bench/bench.mjs")
const rest = args.filter((word) => word !== "--without-peer")
// Deno finds deno.json, and so its permissions, in the folder that it is started in.
const { status } = spawnSync(process.execPath, [bench, ...config, ...rest], { cwd: root, stdio: "inherit" })
if (status === 0) {
  const names = servers.map(({ name }) => name)
  writeFileSync(join(folder, "table.md"), table(JSON.parse(readFileSync(results, "utf8")), names))
}
process.exit(status ?? 1)
