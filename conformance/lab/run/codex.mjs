// `npm run conformance:codex`: the suite against the real peer, `codex exec-server`, over both transports.
//
// Holds what it fails against `targets/codex.baseline.json`. Arguments go to the suite; the exit code is the suite's.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, install, root } from "../../../.ci/setup.mjs"
import { fetchedPeer } from "./peer.mjs"

install()
build()
const { binary, env } = fetchedPeer()

const quoted = `'${binary.replaceAll("'", `'\\''`)}'`
const baseline = fileURLToPath(new URL("targets/codex.baseline.json", import.meta.url))
const wanted = ["--command", `${quoted} exec-server --listen {LISTEN}`, "--strict", "--baseline", baseline]
const { status } = spawnSync(
  process.execPath,
  [join(root, "dist", "procwire-conformance.mjs"), ...wanted, ...process.argv.slice(2)],
  { stdio: "inherit", env: { ...process.env, ...env } },
)
process.exit(status ?? 1)
