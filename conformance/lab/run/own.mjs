// `npm run conformance`: the suite against this project's own server, built if need be, over every transport.
// Nothing may fail that counts, and there is no baseline. Then the first wire, v0, against the server that speaks it, and
// both wires against the one that finds out. Arguments go to the suite, which is then played once.
import { spawnSync } from "node:child_process"
import { build, install, root } from "../../../.ci/setup.mjs"
import { command } from "./ours.mjs"

install()
build()
const server = command(`${root}dist/procwire.mjs`)
const bundle = `${root}dist/procwire-conformance.mjs`
const everywhere = "stdio,ws,unix,tcp"

const play = (dialect, transports, args) => {
  const spoken = ["--command", `${server} --dialect ${dialect}`, "--strict", "--transports", transports]
  return spawnSync(process.execPath, [bundle, ...spoken, ...args], { stdio: "inherit" }).status ?? 1
}

const args = process.argv.slice(2)
const named = args.indexOf("--dialect")
const runs =
  args.length > 0
    ? [[named < 0 ? "current" : args[named + 1], everywhere, args]]
    : [
        ["current", everywhere, []],
        ["v0", everywhere, ["--dialect", "v0"]],
        ["auto", "ws", ["--dialect", "v0"]],
        ["auto", "ws", ["handshake", "session", "process/start", "earlier"]],
      ]
process.exit(Math.max(...runs.map((run) => play(...run))))
