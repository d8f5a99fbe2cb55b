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

/**
 * @typedef {Awaited<ReturnType<typeof serve>>} Server
 *
 * @typedef {object} Serving
 * @property {string} runtime
 * @property {string} transport one of `transportNames`, `wss` or `tls`
 * @property {readonly string[]} [args] of our server
 * @property {string} [mark] what its environment, and so that of its children, is marked with
 * @property {string} [command] another server instead, which knows `--listen` and none of our flags
 */

/** Installs and builds what is not up to date. Must run before anything of `dist/` is imported. */
export const ready = () => {
  install()
  build()
}

/** @type {Record<string, (folder: string) => string>} */
const listenOf = {
  stdio: () => "stdio",
  ws: () => "ws://127.0.0.1:0",
  wss: () => "ws://127.0.0.1:0",
  tcp: () => "tcp://127.0.0.1:0",
  tls: () => "tcp://127.0.0.1:0",
  unix: (folder) => `unix:${join(folder, "socket")}`,
}

/**
 * Starts a server and waits until it says its address.
 * @param {Serving} serving
 */
export const serve = async ({ runtime, transport, args: flags = [], mark = "none", command = "" }) => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-proof-"))
  const [program = "", ...words] = command === "" ? serverOn(runtime) : command.split(" ")
  const args = command === "" ? flags : []
  const listen = listenOf[transport]?.(folder) ?? transport
  const child = spawn(program, [...words, "--listen", listen, ...args], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, [markName]: mark },
  })
  if (transport !== "stdio") child.stdin.end()
  /** @type {Promise<string | number | null>} */
  const gone = new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      rmSync(folder, { recursive: true, force: true })
      resolve(signal ?? code)
    })
  })
  const address = async () => {
    const end = gone.then((code) => {
      throw new Error(`the server ended with ${code} instead of saying its address`)
    })
    const first = await within(
      Promise.race([once(child.stdout, "data"), end]),
      30_000,
      "the server's address",
    )
    end.catch(() => {})
    return String(first[0]).split("\n")[0] ?? ""
  }
  return {
    child,
    pid: child.pid,
    transport,
    /** Its address; empty over stdio. */
    url: transport === "stdio" ? "" : await address(),
    /** The exit code or the signal. */
    gone,
    running: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill("SIGTERM")
      return within(gone, 20_000, "the end of the server after SIGTERM")
    },
  }
}
