// @ts-check
// `npm run lab -- client-codex`: the cases for clients on the real client, `codex exec` of the peer, over both of
// its transports, with a model that is played by a script. Its failures are compared with
// `targets/codex-client.baseline.json`. `--peer RELEASE` chooses the release. Arguments go to the suite; the
// exit code is the suite's.
import { spawnSync } from "node:child_process"
import { build, install, root } from "../../../.ci/setup.mjs"
import { fetchedPeer, releaseOf } from "./peer.mjs"
import { quoted } from "./quoted.mjs"

install()
build()
const args = process.argv.slice(2)
const { binary } = fetchedPeer(releaseOf(args))
const subject = [process.execPath, `${root}conformance/lab/real-client/subject.mjs`, binary, "{URL}"]
const client = ["--client", await quoted(subject), "--timeout-ms", "30000", "--parallel", "2"]
const transports = ["--transports", "ws,stdio"]
const expected = ["--strict", "--baseline", `${root}conformance/targets/codex-client.baseline.json`]
const words = [`${root}dist/procwire-conformance.mjs`, ...client, ...transports, ...expected]
const { status } = spawnSync(process.execPath, [...words, ...args], { stdio: "inherit" })
process.exit(status ?? 1)
