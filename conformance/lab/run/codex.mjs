// @ts-check
// `npm run lab -- codex`: the suite against the real peer, `codex exec-server`, over both of its transports.
//
// Its failures are compared with `targets/codex.baseline.json`. Arguments go to the suite; the exit code is the
// suite's.
import { spawnSync } from "node:child_process"
import { build, install, root } from "../../../.ci/setup.mjs"
import { fetchedPeer } from "./peer.mjs"
import { quoted } from "./quoted.mjs"

install()
build()
const { binary, env } = fetchedPeer()

const suite = `${root}dist/procwire-conformance.mjs`
const command = ["--command", await quoted([binary, "exec-server", "--listen", "{LISTEN}"])]
const baseline = ["--strict", "--baseline", `${root}conformance/targets/codex.baseline.json`]
const { status } = spawnSync(process.execPath, [suite, ...command, ...baseline, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, ...env },
})
process.exit(status ?? 1)
