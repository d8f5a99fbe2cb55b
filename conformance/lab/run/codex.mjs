// @ts-check
// `npm run lab -- codex`: the suite against the real peer, `codex exec-server`, over both of its transports, with
// `targets/codex.baseline.json`. `npm run lab -- client-codex` (here: `--client` first): the cases for clients on its
// client, `codex exec`, with a model that is played by a script, and `targets/codex-client.baseline.json`.
//
// `--peer RELEASE` chooses the release, which the suite judges by its own cases. Arguments go to the suite; the exit
// code is the suite's.
import { spawnSync } from "node:child_process"
import { build, install, root } from "../../../.ci/setup.mjs"
import { fetchedPeer, releaseOf } from "./peer.mjs"
import { quoted } from "./quoted.mjs"
import { flags, suite } from "./suite.mjs"

install()
build()
const [first, ...rest] = process.argv.slice(2)
const isClient = first === "--client"
const args = isClient ? rest : process.argv.slice(2)
const { binary, env } = fetchedPeer(releaseOf(args))
const subject = [process.execPath, `${root}conformance/lab/real-client/subject.mjs`, binary, "{URL}"]
const baseline = `${root}conformance/targets/codex${isClient ? "-client" : ""}.baseline.json`
const options = isClient
  ? { client: await quoted(subject), "timeout-ms": 30_000, parallel: 2, transports: "ws,stdio" }
  : // Only a hang takes so long, on whatever machine: the peer takes some seconds for a line of 64 MiB.
    { command: await quoted([binary, "exec-server", "--listen", "{LISTEN}"]), "timeout-ms": 60_000 }
const { status } = spawnSync(process.execPath, [suite, ...flags({ ...options, baseline }), ...args], {
  stdio: "inherit",
  env: { ...process.env, ...(isClient ? {} : env) },
})
process.exit(status ?? 1)
