// @ts-check
// Our server on a runtime, behind an address. A mark in its environment is inherited, so that whatever it leaves is
// found.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, install, root } from "../../../../.ci/setup.mjs"
import { serverOn } from "../../run/runtimes.mjs"
import { within } from "./command.mjs"
import { markName } from "./proc.mjs"

export const runtimeNames = ["node", "bun", "deno"]
export const transportNames = ["stdio", "ws", "unix", "tcp"]
export const onRuntime = { says: runtimeNames.join(", "), usual: "node", of: runtimeNames }

/**
 * A server on a runtime, with arguments of ours, whose environment, and so that of its children, is marked. `command`
 * is another server instead, which knows `--listen` and none of our flags.
 * @typedef {{ runtime: string, transport: string, args?: readonly string[], mark?: string, command?: string }} Serving
 * @typedef {Awaited<ReturnType<typeof serve>>} Server
 */

/** Installs and builds what is not up to date. Must run before anything of `dist/` is imported. */
export const ready = () => void [install(), build()]

/** Programs that run. They end with this one. @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set()
process.once("exit", () => running.forEach((child) => child.kill("SIGKILL")))
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(1))

/**
 * Starts a program that ends with this one, with more variables than those of this one, or of `env`.
 * @param {readonly string[]} words @param {NodeJS.ProcessEnv} [more]
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, stderr?: number, said?: (text: string) => void }} [how] `said` gets
 * its stderr
 */
export const launch = (
  [program = "", ...words],
  more = {},
  { env = process.env, cwd = root, stderr = 2, said } = {},
) => {
  const stdio = /** @type {const} */ (["pipe", "pipe", said === undefined ? stderr : "pipe"])
  const child = spawn(program, words, { cwd, stdio: [...stdio], env: { ...env, ...more } })
  const { stdin, stdout } = child
  if (said !== undefined) child.stderr?.setEncoding("utf8").on("data", said)
  if (stdin === null || stdout === null) throw new Error("a program without pipes")
  running.add(child)
  /** The exit code or the signal. @type {Promise<string | number | null>} */
  const gone = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)))
  void gone.then(() => running.delete(child))
  /** Its first line; rejects if it ends before. */
  const line = async () => {
    const first = Promise.race([once(stdout, "data"), gone.then(() => [])])
    const [data] = await within(first, 60_000, "the first line of a program")
    if (data === undefined) throw new Error(`${words.join(" ")} has ended with ${await gone}`)
    return String(data).split("\n")[0] ?? ""
  }
  const end = (/** @type {NodeJS.Signals} */ signal) => {
    child.kill(signal)
    return within(gone, 20_000, `the end of a program after ${signal}`)
  }
  return { child: Object.assign(child, { stdin, stdout }), gone, line, end }
}

const listenOf = (/** @type {string} */ transport, /** @type {string} */ folder) => {
  if (transport === "stdio") return "stdio"
  if (transport === "unix") return `unix:${join(folder, "socket")}`
  return `${transport}://127.0.0.1:0`
}

/** Starts a server and waits until it says its address. @param {Serving} serving */
export const serve = async ({ runtime, transport, args = [], mark = "none", command = "" }) => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-stress-"))
  const listen = ["--listen", listenOf(transport, folder)]
  const words = [...(command === "" ? serverOn(runtime, { flags: args }) : command.split(" ")), ...listen]
  const { child, gone, line, end } = launch(words, { [markName]: mark })
  void gone.then(() => rmSync(folder, { recursive: true, force: true }))
  if (transport !== "stdio") child.stdin.end()
  const running = () => child.exitCode === null && child.signalCode === null
  /** Its address; empty over stdio. */
  const url = transport === "stdio" ? "" : await line()
  return { child, pid: child.pid, transport, url, gone, running, stop: () => end("SIGTERM") }
}
