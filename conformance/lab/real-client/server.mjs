// @ts-check
// The server under test: the words that start it, and one that listens on a WebSocket.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { within } from "../stress/lib/command.mjs"
import { serverOn } from "../run/runtimes.mjs"

/** @typedef {Awaited<ReturnType<typeof listen>>} Server */

export const serverNames = ["peer", "node", "bun", "deno"]

/**
 * The words that start a server. `peer` is the client's own; only our own servers get the flags.
 * @param {string} name one of `serverNames`, or the words of another server
 * @param {string} client
 * @param {readonly string[]} flags
 */
export const words = (name, client, flags) => {
  if (name === "peer") return [client, "exec-server"]
  return serverNames.includes(name) ? [...serverOn(name), ...flags] : name.split(" ")
}

/**
 * Starts a server behind an address. `said` gets its stderr.
 * @param {readonly string[]} words
 * @param {{ url?: string | undefined, env: NodeJS.ProcessEnv, cwd: string, said: (text: string) => void }} options
 */
export const listen = async (
  [program = "", ...args],
  { url: wanted = "ws://127.0.0.1:0", env, cwd, said },
) => {
  const child = spawn(program, [...args, "--listen", wanted], {
    env,
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  })
  child.stderr.setEncoding("utf8").on("data", said)
  let last = ""
  child.stderr.on("data", (text) => (last = text))
  const gone = once(child, "exit")
  const ended = gone.then(([code]) => {
    throw new Error(`the server ended with ${code} instead of saying its address: ${last}`)
  })
  const first = await within(
    Promise.race([once(child.stdout, "data"), ended]),
    30_000,
    "the server's address",
  )
  ended.catch(() => {})
  const [url = ""] = String(first[0]).split("\n")
  return {
    pid: child.pid,
    url,
    kill: async () => {
      child.kill("SIGKILL")
      await gone
    },
    stop: async () => {
      child.kill("SIGTERM")
      await within(gone, 20_000, "the end of the server after SIGTERM")
    },
  }
}
