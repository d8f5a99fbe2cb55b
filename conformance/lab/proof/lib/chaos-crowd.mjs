// @ts-check
// The clients of a chaos: processes of their own that are killed and replaced, often by one that takes up the session.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { markName } from "./proc.mjs"

/**
 * @import { ChildProcess } from "node:child_process"
 * @import { Random } from "./random.mjs"
 *
 * @typedef {object} Counts
 * @property {number} clients that were killed
 * @property {number} resumed sessions that another client took up
 * @property {number} found processes in them
 * @property {string[]} failures
 *
 * @typedef {{ child: ChildProcess, session: string, gone: Promise<void> }} Client
 */

const script = fileURLToPath(new URL("./chaos-client.mjs", import.meta.url))

/** @param {{ random: Random, mark: string, tally: Counts }} options */
export const make = ({ random, mark, tally }) => {
  /** @type {Set<Client>} */
  const living = new Set()

  /** @param {string} url @param {string} session */
  const begin = (url, session) => {
    const child = spawn(process.execPath, [script, url, String(random.below(2 ** 31)), session], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, [markName]: mark },
    })
    /** @type {Promise<void>} */
    const gone = new Promise((resolve) => child.once("exit", () => resolve()))
    /** @type {Client} */
    const client = { child, session, gone }
    void gone.then(() => living.delete(client))
    child.stdout.on("data", (data) => {
      for (const [, word, rest = ""] of data.toString().matchAll(/^(\w+) (.*)$/gm)) {
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

  /** @param {Client} client */
  const kill = async ({ child, gone }) => {
    child.kill("SIGKILL")
    await gone
  }

  return {
    /** The pids of those that live. */
    pids: () => new Set([...living].map(({ child }) => child.pid)),
    /** Starts clients until there are `count`. @param {string} url @param {number} count */
    fill: (url, count) => {
      while (living.size < count) begin(url, "")
    },
    /** Kills one; most of the time another takes up its session. @param {string} url */
    replace: async (url) => {
      if (living.size === 0) return
      const client = random.pick([...living])
      tally.clients += 1
      await kill(client)
      begin(url, random.chance(0.8) ? client.session : "")
    },
    clear: () => Promise.all([...living].map(kill)),
  }
}
