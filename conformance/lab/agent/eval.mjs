// @ts-check
// `npm run eval:agent`: what ten typical tasks cost a language model, in turns and in characters, with the two tools of
// Codex and with all tools. A script plays the model; the server and the processes are real.
//
// `--scale N` (default 1) makes what the commands do take N times as long, `--only WORD` plays the tasks whose name has
// it. Prints a table in Markdown. Exit code 1 if a task was not done, or if all tools cost more than a third of the
// turns or a fifth of the characters.
import { createServer } from "node:net"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../../../.ci/command.mjs"
import { build, install, root } from "../../../.ci/setup.mjs"
import { Model } from "./model.mjs"
import { tasks } from "./tasks.mjs"

const { values } = command(import.meta.url, {
  options: { scale: { type: "string", default: "1" }, only: { type: "string", default: "" } },
})
install()
build()
const { connect } = await import(join(root, "dist", "lib", "adapters", "node", "index.js"))
const { createTools } = await import(join(root, "dist", "lib", "core", "agent", "index.js"))

/** A port that nobody listens on. @returns {Promise<number>} */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** @param {number} seconds */
const sleep = (seconds) => `sleep ${seconds * Number(values.scale)}`

/** @typedef {{ name: string, turns: number, characters: number, done: boolean }} Cost */

/** Plays every task on a server of its own, side by side. @param {"codex" | "all"} offer @returns {Promise<Cost[]>} */
const play = async (offer) => {
  const home = mkdtempSync(join(tmpdir(), "procwire-eval-"))
  const args = [join(root, "dist", "procwire.mjs"), "serve", "--listen", "stdio"]
  const client = await connect({ command: process.execPath, args })
  const chosen = tasks(sleep, await freePort()).filter(({ name }) => name.includes(values.only))
  const costs = await Promise.all(
    chosen.map(async (task) => {
      const tools = createTools(client, { cwd: home, shell: "/bin/sh", env: { HOME: home }, tools: offer })
      const model = new Model(tools)
      const said = await task[offer](model)
      await tools.close()
      const done = task.answer.test(said)
      if (!done) process.stderr.write(`${task.name} (${offer}): not done: ${said.slice(-300)}\n`)
      return { name: task.name, turns: model.turns, characters: model.characters, done }
    }),
  )
  await client.close()
  rmSync(home, { recursive: true, force: true })
  return costs
}

const codex = await play("codex")
const all = await play("all")

/** @param {string} line */
const say = (line) => process.stdout.write(`${line}\n`)

/** @param {readonly Cost[]} costs @param {"turns" | "characters"} what */
const sum = (costs, what) => costs.reduce((total, cost) => total + cost[what], 0)

say("| task | turns | with all tools | characters | with all tools |\n|---|---|---|---|---|")
for (const [index, { name, turns, characters }] of codex.entries()) {
  say(`| ${name} | ${turns} | ${all[index]?.turns} | ${characters} | ${all[index]?.characters} |`)
}
const turns = sum(all, "turns") / sum(codex, "turns")
const characters = sum(all, "characters") / sum(codex, "characters")
say(
  `| all | ${sum(codex, "turns")} | ${sum(all, "turns")} | ${sum(codex, "characters")} | ${sum(all, "characters")} |`,
)
say(`\nturns: ${(100 * turns).toFixed(0)} %, characters: ${(100 * characters).toFixed(0)} %`)
const done = [...codex, ...all].every((cost) => cost.done)
process.exitCode = done && turns <= 1 / 3 && characters <= 1 / 5 ? 0 : 1
