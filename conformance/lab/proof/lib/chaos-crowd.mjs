// The clients of a chaos: processes of their own that are killed and come back, often with the session they had.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { markName } from "./proc.mjs"

const script = fileURLToPath(new URL("./chaos-client.mjs", import.meta.url))

export const make = ({ random, mark, tally }) => {
  const living = new Set()

  const begin = (url, session) => {
    const child = spawn(process.execPath, [script, url, String(random.below(2 ** 31)), session], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, [markName]: mark },
    })
    const client = { child, session, pid: child.pid }
    client.gone = new Promise((resolve) =>
      child.once("exit", () => {
        living.delete(client)
        resolve()
      }),
    )
    child.stdout.on("data", (data) => {
      for (const [, word, rest] of data.toString().matchAll(/^(\w+) (.*)$/gm)) {
        if (word === "session") client.session = rest
        if (word === "resumed") {
          tally.resumed += 1
          tally.found += Number(rest)
        }
        if (word === "wrong") tally.failures.push(rest)
      }
    })
    living.add(client)
  }

  const kill = async (client) => {
    client.child.kill("SIGKILL")
    await client.gone
  }

  return {
    pids: () => new Set([...living].map(({ pid }) => pid)),
    /** Brings their number up to `count`. */
    fill: (url, count) => {
      while (living.size < count) begin(url, "")
    },
    /** Kills one; most of the time another takes up its session. */
    replace: async (url) => {
      const client = random.pick([...living])
      if (client === undefined) return
      tally.clients += 1
      await kill(client)
      begin(url, random.chance(0.8) ? client.session : "")
    },
    clear: () => Promise.all([...living].map(kill)),
  }
}
