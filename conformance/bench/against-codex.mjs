// `npm run bench`: our build against the real peer, side by side in one run, over stdio and WebSocket.
//
// Fetches the peer as `npm run conformance:codex` does; further arguments go to the benchmark (`--reps 5`,
// `--only w2,w4`). Writes `.cache/bench/results.md`.
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build, install, root } from "../../.ci/setup.mjs"
import { fetchedPeer } from "../peer.mjs"

install()
build()
const { binary, env } = fetchedPeer()
const folder = join(root, ".cache", "bench")
mkdirSync(folder, { recursive: true })

const ours = [process.execPath, join(root, "dist", "procwire.mjs"), "serve", "--listen"]
const theirs = [binary, "exec-server", "--listen"]
const ws = "ws://127.0.0.1:{PORT}"
writeFileSync(
  join(folder, "servers.json"),
  JSON.stringify([
    { name: "procwire", stdio: [...ours, "stdio"], ws: [...ours, ws] },
    { name: "codex", env, stdio: [...theirs, "stdio"], ws: [...theirs, ws] },
  ]),
)
const bench = [join(root, "conformance", "bench", "bench.mjs"), "--config", join(folder, "servers.json")]
const output = ["--out", join(folder, "results.json"), "--md", join(folder, "results.md")]
const { status } = spawnSync(process.execPath, [...bench, ...output, ...process.argv.slice(2)], { cwd: folder, stdio: "inherit" })
process.exit(status ?? 1)
