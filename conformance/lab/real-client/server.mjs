// The server under test: the words that start it, and one that listens on a WebSocket.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { within } from "../proof/lib/command.mjs"
import { serverOn } from "../run/runtimes.mjs"

export const serverNames = ["peer", "node", "bun", "deno"]

/** `peer` is the client's own server; neither it nor one that somebody names by its words knows our flags. */
export const words = (name, client, flags) => {
  if (name === "peer") return [client, "exec-server"]
  return serverNames.includes(name) ? [...serverOn(name), ...flags] : name.split(" ")
}

/** Starts one behind an address. `said` hears what it says on stderr. */
export const listen = async ([program, ...args], { url: wanted = "ws://127.0.0.1:0", env, cwd, said }) => {
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
  const url = String(first[0]).split("\n")[0]
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
