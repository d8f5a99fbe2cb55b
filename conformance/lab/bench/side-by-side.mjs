// `npm run bench`: procwire on Node, Bun and Deno and as Bun's single file against the real peer, side by side in one
// run, over stdio and WebSocket.
//
// Fetches the peer as `npm run conformance:codex` does; further arguments go to the benchmark (`--reps 5`,
// `--only w2,w4`). Writes `.cache/bench/results.md`, and `.cache/bench/table.md` as the README has it.
import { spawnSync } from "node:child_process"
import { readFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { binary, build, install, root, run } from "../../../.ci/setup.mjs"
import { fetchedPeer } from "../run/peer.mjs"
import { table } from "./lib/table.mjs"

install()
build()
run(process.execPath, [".ci/bun.mjs"])
const { binary: codex, env } = fetchedPeer()
const folder = join(root, ".cache", "bench")
mkdirSync(folder, { recursive: true })

const server = (name, command, more) => ({
  name,
  ...more,
  stdio: [...command, "--listen", "stdio"],
  ws: [...command, "--listen", "ws://127.0.0.1:{PORT}"],
})
const deno = [binary("@deno", "deno"), "run", "--quiet", "--no-prompt", "-P"]
const servers = [
  server("codex", [codex, "exec-server"], { env }),
  server("node", [process.execPath, join(root, "dist/procwire.mjs"), "serve"]),
  server("bun", [binary("@oven", "bin/bun"), join(root, "adapters/bun/main.ts"), "serve"]),
  server("deno", [...deno, join(root, "adapters/deno/main.ts"), "serve"]),
  server("bun-file", [join(root, "dist/procwire-bun"), "serve"]),
]
writeFileSync(join(folder, "servers.json"), JSON.stringify(servers))
const bench = [join(root, "conformance", "bench", "bench.mjs"), "--config", join(folder, "servers.json")]
const results = join(folder, "results.json")
const output = ["--out", results, "--md", join(folder, "results.md")]
const { status } = spawnSync(process.execPath, [...bench, ...output, ...process.argv.slice(2)], {
  // Deno takes the permissions of the deno.json that it finds here.
  cwd: root,
  stdio: "inherit",
})
if (status === 0)
  writeFileSync(
    join(folder, "table.md"),
    table(
      JSON.parse(readFileSync(results, "utf8")),
      servers.map(({ name }) => name),
    ),
  )
process.exit(status ?? 1)
