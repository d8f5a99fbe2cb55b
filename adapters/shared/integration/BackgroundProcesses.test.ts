/** core/agent: what commands leave in the background is listed, can be stopped, and ends with the tools. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type AgentTools, createTools } from "../../../core/agent/AgentTools.ts"
import { bashTool } from "../../../core/agent/vendor/AnthropicBash.ts"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { isAlive } from "../testing/Proc.ts"

const home = mkdtempSync(join(tmpdir(), "procwire-background-"))
let client: Client

beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(async () => {
  await client.close()
  rmSync(home, { recursive: true })
})

const open = () => createTools(client, { cwd: home, shell: "/bin/sh", env: { HOME: home } })

const gone = (pids: ReadonlyArray<number>) => vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]))

/** Ways to leave a process behind, whose pid is then in the file `pid`. */
const ways = {
  "in the group of the command": "sh -c 'echo $$ >pid; exec sleep 300' >/dev/null 2>&1 &",
  "that holds its output": "(echo $$ >/dev/null; sh -c 'echo $$ >pid; exec sleep 300') &",
  "in a session of its own": "setsid sh -c 'echo $$ >pid; exec sleep 300' >/dev/null 2>&1 </dev/null &",
  "that nothing but SIGKILL ends": `nohup sh -c 'trap "" TERM; echo $$ >pid; while :; do sleep 1; done' >/dev/null &`,
}

const stays = "exec sleep 300"

/** Runs a command that leaves such a process behind and has ended. */
const leave = async (tools: AgentTools, way: string) => {
  const cmd = `rm -f pid; ${way} while ! [ -s pid ]; do sleep 0.01; done; cat pid`
  const reply = await tools.execCommand({ cmd, login: false, yield_time_ms: 30_000 })
  expect(reply.exitCode).toBe(0)
  return Number(reply.output)
}

const listed = async (tools: AgentTools) => (await tools.listCommands({ running: true })).commands ?? []

describe.runIf(process.platform === "linux")("A process that a command has left in the background", () => {
  it.each(Object.entries(ways))("%s: is listed with its command, and stopped by it", async (_, way) => {
    await using tools = open()
    const pid = await leave(tools, way)
    const [command, ...others] = await listed(tools)
    expect(others).toEqual([])
    expect(command).toMatchObject({ state: "exited", exitCode: 0 })
    expect(command?.left?.map((each) => each.pid)).toContain(pid)
    const { text } = await tools.listCommands()
    expect(text).toMatch(new RegExp(`\\n  in the background: process ${pid} for \\d+\\.\\d s: `))
    const session_id = command?.sessionId ?? 0
    const reply = await tools.stopCommand({ session_id, grace_ms: 300 })
    expect(reply.text).toMatch(
      /Ended what the command had left in the background:\n {2}in the background: process \d+/,
    )
    expect(isAlive(pid)).toBe(false)
    expect(await listed(tools)).toEqual([])
    expect((await tools.stopCommand({ session_id })).notices).toEqual(["The command had ended before."])
  })

  it.each(Object.entries(ways))("%s: ends with the tools", async (_, way) => {
    const [tools, others] = [open(), open()]
    const [pid, other] = [await leave(tools, way), await leave(others, way)]
    await tools.close()
    expect(isAlive(pid)).toBe(false)
    expect(isAlive(other)).toBe(true)
    await others.close()
    await gone([other])
  })

  it("is listed with the ports that it listens on", async () => {
    await using tools = open()
    const code =
      "const s=require('net').createServer().listen(0,'127.0.0.1',()=>require('fs').writeFileSync('pid',process.pid+' '+s.address().port))"
    const cmd = `rm -f pid; "$NODE" -e "$CODE" >/dev/null 2>&1 & while ! [ -s pid ]; do sleep 0.05; done; cat pid`
    await using own = createTools(client, { cwd: home, shell: "/bin/sh", env: { NODE: "node", CODE: code } })
    const [pid, port] = (await own.execCommand({ cmd, login: false, yield_time_ms: 30_000 })).output
      .split(" ")
      .map(Number)
    const [command] = await listed(own)
    expect(command?.left).toEqual([expect.objectContaining({ pid, ports: [port] })])
    expect((await own.listCommands()).text).toContain(`, listens on port ${port}: node -e`)
    expect(await listed(tools)).toEqual([])
  })

  it("of the shell of the bash tool is listed under its session, also behind a restart", async () => {
    await using tools = open()
    const bash = bashTool(tools)
    const run = async (input: object) =>
      (await bash.call({ type: "tool_use", id: "1", name: "bash", input })).content
    const leaving = (way: string) =>
      run({ command: `cd ${home}; rm -f pid; ${way} while ! [ -s pid ]; do sleep 0.01; done; cat pid` })
    const first = Number(await leaving(ways["in the group of the command"]))
    const [shell] = await listed(tools)
    expect(shell).toMatchObject({ command: "bash", state: "running", left: [{ pid: first }] })
    const second = Number(await leaving(ways["in a session of its own"]))
    // The next shell has the variables of this one, but a session ID of its own.
    await run({ command: "exit 3" })
    const third = Number(await leaving(ways["in a session of its own"]))
    const all = await listed(tools)
    expect(all.find(({ state }) => state === "running")?.left?.map(({ pid }) => pid)).toEqual([third])
    expect(
      all.find(({ sessionId }) => sessionId === shell?.sessionId)?.left?.map(({ pid }) => pid),
    ).toContain(second)
    await tools.close()
    await gone([first, second, third])
  })

  it("is stopped together with a command that still runs", async () => {
    await using tools = open()
    const way = ways["in a session of its own"]
    const cmd = `rm -f pid; ${way} while ! [ -s pid ]; do sleep 0.01; done; cat pid; ${stays}`
    const reply = await tools.execCommand({ cmd, login: false, wait_for: { pattern: "\\d\\n" } })
    const pid = Number(reply.output)
    const stopped = await tools.stopCommand({ session_id: reply.sessionId ?? 0 })
    expect(stopped).toMatchObject({ endedBy: "stop", notices: [expect.stringContaining(`process ${pid} `)] })
    await gone([pid])
  })
})
