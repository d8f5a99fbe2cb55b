// `npm run conformance`: the suite against this project's own server, built if need be, over every transport.
// Nothing may fail that counts, and there is no baseline. Arguments go to the suite.
import { spawnSync } from "node:child_process"
import { build, install, root } from "../.ci/setup.mjs"
import { command } from "./ours.mjs"

install()
build()
const server = command(`${root}dist/procwire.mjs`)
const wanted = ["--command", server, "--strict", "--transports", "stdio,ws,unix,tcp", ...process.argv.slice(2)]
const bundle = `${root}dist/procwire-conformance.mjs`
const { status } = spawnSync(process.execPath, [bundle, ...wanted], { stdio: "inherit" })
process.exit(status ?? 1)
