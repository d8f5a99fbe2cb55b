// `npm run conformance`: the suite against this project's own server, built if need be, over both transports.
// Nothing may fail that counts, and there is no baseline. Arguments go to the suite.
import { spawnSync } from "node:child_process"
import { build, install, root } from "../.ci/setup.mjs"

install()
build()
const server = `'${process.execPath}' '${root}dist/procwire.mjs' serve --listen {LISTEN}`
const args = [
  `${root}dist/procwire-conformance.mjs`,
  "--command",
  server,
  "--strict",
  ...process.argv.slice(2),
]
const { status } = spawnSync(process.execPath, args, { stdio: "inherit" })
process.exit(status ?? 1)
