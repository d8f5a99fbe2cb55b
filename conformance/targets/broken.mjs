// @ts-check
/**
 * Our server behind a relay that is wrong in one thing: `node broken.mjs NAME [--listen ws://HOST:PORT] [ARGUMENT…]`,
 * over stdio without an address. The names are in ../lab/faults/wire; `right` is wrong in nothing. Needs the build.
 */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { faults } from "../lab/faults/wire/all.mjs"
import { join, listen, newServer, overStreams } from "../lab/faults/wire/relay.mjs"

const [, , name, ...words] = process.argv
/** @type {Partial<import("../lab/faults/wire/changes.mjs").WireFault> | undefined} */
const fault = name === "right" ? {} : faults.find((one) => one.name === name)
if (fault === undefined) throw new Error(`no broken server is called ${name}`)
const { args = (given) => given, relay = {} } = fault
const at = words.indexOf("--listen")
const [, address = "stdio"] = at < 0 ? [] : words.splice(at, 2)
const own = address === "stdio" ? ["stdio"] : ["ws://127.0.0.1:0", "--exit-on-stdin-close"]
const command = fileURLToPath(new URL("../../dist/procwire.cjs", import.meta.url))
const server = spawn(process.execPath, [command, "serve", "--listen", ...own, ...args(words)], {
  stdio: ["pipe", "pipe", "inherit"],
})
server.on("close", (code) => process.stdout.write("", () => process.exit(code ?? 1)))
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"]))
  process.on(signal, () => server.kill(signal))
if (address === "stdio") {
  const crash = () => {
    server.kill("SIGKILL")
    process.exit(1)
  }
  const [near, far] = [overStreams(process.stdin, process.stdout), overStreams(server.stdout, server.stdin)]
  join(near, far, relay, newServer(crash))
} else {
  createInterface({ input: server.stdout }).once("line", async (url) => {
    const { url: bound } = await listen(url, { ...fault, relay }, Number(new URL(address).port))
    process.stdout.write(`${bound}\n`)
  })
}
