// @ts-check
// `npm run conformance`: the suite against this project's own server over every transport, without a baseline: every
// case that counts must pass. Then the first wire, v0, against a server that speaks it, and both wires against one
// that detects the dialect. With arguments the suite runs once, and gets them.
import { spawnSync } from "node:child_process"
import { build, install, root } from "../../../.ci/setup.mjs"
import { quoted } from "./quoted.mjs"
import { flags, suite } from "./suite.mjs"

install()
build()
const server = await quoted([process.execPath, `${root}dist/procwire.cjs`, "serve", "--listen", "{LISTEN}"])
const everywhere = "stdio,ws,unix,tcp"

/**
 * @param {string} dialect of the server
 * @param {string} transports
 * @param {readonly string[]} args of the suite
 * @returns {number} the exit code
 */
const play = (dialect, transports, args) => {
  const target = flags({ command: `${server} --dialect ${dialect}`, transports, "timeout-ms": 60_000 })
  return spawnSync(process.execPath, [suite, ...target, ...args], { stdio: "inherit" }).status ?? 1
}

const args = process.argv.slice(2)
const named = args.indexOf("--dialect")
const codes =
  args.length > 0
    ? [play((named >= 0 && args[named + 1]) || "current", everywhere, args)]
    : [
        play("current", everywhere, []),
        play("v0", everywhere, ["--dialect", "v0"]),
        play("auto", "ws", ["--dialect", "v0"]),
        play("auto", "ws", ["handshake", "session", "process/start", "earlier"]),
      ]
process.exit(Math.max(...codes))
