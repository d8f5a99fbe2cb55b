// @ts-check
// `npm run lab -- codex`: the suite against the real peer, `codex exec-server`, over both of its transports.
//
// Its failures are compared with `targets/codex.baseline.json`. `--peer RELEASE` chooses the release, which the suite
// judges by its own cases. Arguments go to the suite; the exit code is the suite's.
import { spawnSync } from "node:child_process"
import { build, install, root } from "../../../.ci/setup.mjs"
import { fetchedPeer, releaseOf } from "./peer.mjs"
import { quoted } from "./quoted.mjs"

install()
build()
const args = process.argv.slice(2)
const { binary, env } = fetchedPeer(releaseOf(args))

const suite = `${root}dist/procwire-conformance.mjs`
const command = ["--command", await quoted([binary, "exec-server", "--listen", "{LISTEN}"])]
const baseline = ["--strict", "--baseline", `${root}conformance/targets/codex.baseline.json`]
// Only a hang takes so long, on whatever machine: the peer takes some seconds for a line of 64 MiB.
const patience = ["--timeout-ms", "60000"]
const { status } = spawnSync(process.execPath, [suite, ...command, ...baseline, ...patience, ...args], {
  stdio: "inherit",
  env: { ...process.env, ...env },
})
process.exit(status ?? 1)
