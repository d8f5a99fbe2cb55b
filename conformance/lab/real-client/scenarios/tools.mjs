// @ts-check
// MCP servers that the client reaches through the server: a process that it speaks with on pipes, and one over HTTP.
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Proc from "../../stress/lib/proc.mjs"

const echo = fileURLToPath(new URL("../mcp-echo.mjs", import.meta.url))
const namespace = "mcp__echo"

/** The client asks the model once its MCP server has started. Only a hang reaches the limit, which is 10 otherwise. */
const waits = { required: true, startup_timeout_sec: 120 }

/**
 * Arguments of a client. A model that the client does not know gets all tools at once.
 * @param {Record<string, string | readonly string[]>} settings of the MCP server
 */
const config = (settings) => [
  "-m",
  "loopback",
  ...Object.entries({ ...settings, ...waits }).flatMap(([name, value]) => [
    "-c",
    `mcp_servers.echo.${name}=${JSON.stringify(value)}`,
  ]),
]

/** Makes two calls in a row and two at once; the pid of the server that answered. @param {import("../stage.mjs").Stage} t */
const talk = async (t) => {
  assert.ok(
    t.tools().some(({ name }) => name === namespace),
    "the client knows the tool",
  )
  /** @param {string} text @returns {import("../conversation.mjs").Call} */
  const ask = (text) => ["echo", { text }, { namespace }]
  const one = await t.call(...ask("žluťoučký 🦊"))
  assert.match(one, /echo: žluťoučký 🦊 by \d+/)
  for (const [index, text] of (await t.calls([ask("a"), ask("b")])).entries())
    assert.ok(text.includes(`echo: ${"ab"[index]} by`), text)
  const long = "x".repeat(500_000)
  assert.match(await t.call(...ask(long)), /echo: x+/)
  return Number(/by (\d+)/.exec(one)?.[1])
}

/** @type {Record<string, import("./index.mjs").Scenario>} */
export const scenarios = {
  "mcp-on-pipes": {
    says: "An MCP server is started with pipes, spoken with, and ended with the client.",
    run: async (t) => {
      const { environment: environment_id, folder: cwd } = t
      await t.begin({ args: config({ command: process.execPath, args: [echo], cwd, environment_id }) })
      const pid = await talk(t)
      const [server] = Proc.processes().filter((one) => one.pid === pid)
      assert.ok(server, "it runs")
      assert.equal((await t.done()).code, 0)
      assert.ok(await Proc.eventually(() => !Proc.alive(server), 20_000), "it has ended")
    },
  },

  "mcp-over-http": {
    says: "An MCP server behind HTTP is asked through the server, its answers are streams.",
    run: async (t) => {
      const child = spawn(process.execPath, [echo, "http"], { stdio: ["ignore", "pipe", "inherit"] })
      try {
        const [url] = await once(child.stdout, "data")
        await t.begin({ args: config({ url: String(url).trim(), environment_id: t.environment }) })
        assert.equal(await talk(t), child.pid)
      } finally {
        child.kill()
      }
    },
  },
}
