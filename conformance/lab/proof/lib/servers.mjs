// Our server on a runtime, behind an address, marked so that what it leaves behind can be found.
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

/** Installs and builds what is not up to date. To be called before anything of `dist/` is imported. */
export const ready = () => {
  install()
  build()
}

const listenOf = {
  stdio: () => "stdio",
  ws: () => "ws://127.0.0.1:0",
  wss: () => "ws://127.0.0.1:0",
  tcp: () => "tcp://127.0.0.1:0",
  tls: () => "tcp://127.0.0.1:0",
  unix: (folder) => `unix:${join(folder, "socket")}`,
}

/**
 * Starts one and waits for its address. Over stdio the address is the child itself. `command` is another server's, which
 * knows `--listen` and none of our flags.
 */
export const serve = async ({ runtime, transport, args: flags = [], mark = "none", command = "" }) => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-proof-"))
  const [program, ...words] = command === "" ? serverOn(runtime) : command.split(" ")
  const args = command === "" ? flags : []
  const stdio = [transport === "stdio" ? "pipe" : "ignore", "pipe", "inherit"]
  const child = spawn(program, [...words, "--listen", listenOf[transport](folder), ...args], {
    cwd: root,
    stdio,
    env: { ...process.env, [markName]: mark },
  })
  const gone = new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      rmSync(folder, { recursive: true, force: true })
      resolve(signal ?? code)
    })
  })
  const url =
    transport === "stdio"
      ? ""
      : String(
          (await within(Promise.race([once(child.stdout, "data"), gone]), 30_000, "the server's address"))[0],
        ).split("\n")[0]
  return {
    child,
    pid: child.pid,
    transport,
    url,
    /** The exit code or the signal. */
    gone,
    running: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill("SIGTERM")
      return within(gone, 20_000, "the end of the server after SIGTERM")
    },
  }
}
