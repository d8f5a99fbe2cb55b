/**
 * The shell tools of Anthropic's and OpenAI's models, over real shells: scripts play the models, in the messages of
 * their vendors.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  bashTool,
  createTools,
  localShellTool,
  shellTool,
  type AgentTools,
  type BashTool,
  type ToolResult,
} from "../../../core/agent/index.ts"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"

let client: Client
let tools: AgentTools
const home = realpathSync(mkdtempSync(join(tmpdir(), "procwire-vendor-")))

beforeAll(async () => {
  client = await connect({ inProcess: true })
  tools = createTools(client, { cwd: home, env: { HOME: home } })
})
afterAll(async () => {
  await tools.close()
  await client.close()
  rmSync(home, { recursive: true })
})

/** A model of Anthropic: each turn is the input of one call; the loop is that of the Messages API. */
const converse = async (bash: BashTool, turns: ReadonlyArray<unknown>) => {
  const messages: Array<unknown> = []
  const results: Array<ToolResult> = []
  for (const [index, input] of turns.entries()) {
    const use = { type: "tool_use", id: `toolu_${index}`, name: "bash", input } as const
    messages.push({ role: "assistant", content: [use] })
    const result = await bash.call(use)
    messages.push({ role: "user", content: [result] })
    results.push(result)
  }
  expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(turns.map((_, index) => `toolu_${index}`))
  return results.map(({ content, is_error }) => (is_error === true ? { error: content } : content))
}

describe("The bash tool of Anthropic", () => {
  it("is declared by type and name alone", () => {
    expect(bashTool(tools).definition).toEqual({ type: "bash_20250124", name: "bash" })
  })

  it("keeps folder, variables and functions from call to call, until a restart", async () => {
    const bash = bashTool(tools)
    const long = "x".repeat(20_000)
    const said = await converse(bash, [
      { command: "mkdir -p sub && cd sub && export WHO=me && hi() { echo hi $1; }" },
      { command: "pwd; hi $WHO; echo err >&2" },
      { command: "printf 'no newline'" },
      { command: "(exit 3)" },
      { command: "cat; echo stdin is empty" },
      { command: `text=${long}; echo "\${#text} €"` },
      { restart: true },
      { command: "pwd; echo [$WHO]" },
      {},
    ])
    expect(said).toEqual([
      "",
      `${home}/sub\nhi me\nerr\n`,
      "no newline",
      "Exit code: 3",
      "stdin is empty\n",
      "20000 €\n",
      "tool has been restarted.",
      `${home}\n[]\n`,
      { error: "bash needs a command, which is a text, or restart: true" },
    ])
    await bash.close()
  })

  it("says that a command took too long, or has ended the shell, and goes on with another one", async () => {
    const bash = bashTool(tools, { timeoutMs: 1_000 })
    const said = await converse(bash, [{ command: "echo before; exec sleep 1000" }])
    const wanted = /^(before\n)?The command has not ended within 1000 ms\. The shell was restarted\.$/
    expect(said).toEqual([{ error: expect.stringMatching(wanted) }])
    const patient = bashTool(tools)
    expect(await converse(patient, [{ command: "echo bye; exit 7" }, { command: "echo again" }])).toEqual([
      "bye\nThe shell has exited with code 7. The next command starts another one.",
      "again\n",
    ])
    await bash.close()
    await patient.close()
  })

  it("runs calls that come side by side one after the other, and tells of a shell that is not there", async () => {
    const bash = bashTool(tools)
    const both = ["n=1; echo $n", "n=$((n+1)); echo $n"].map((command, index) =>
      bash.call({ type: "tool_use", id: `toolu_${index}`, name: "bash", input: { command } }),
    )
    expect((await Promise.all(both)).map(({ content }) => content)).toEqual(["1\n", "2\n"])
    await bash.close()
    const none = await converse(bashTool(tools, { shell: "/no/such/bash" }), [{ command: "echo" }])
    expect(none).toEqual([{ error: expect.stringContaining("/no/such/bash") }])
  })
})

describe("The shell tools of OpenAI", () => {
  it("shell runs command lines side by side, each with its outcome", async () => {
    const shell = shellTool(tools)
    expect(shell.definition).toEqual({ type: "shell" })
    const call = (commands: ReadonlyArray<string>, more: object) =>
      shell.call({ type: "shell_call", call_id: "call_1", action: { commands, ...more } })
    expect(await call(["echo one; exit 3", "pwd"], { max_output_length: 4096 })).toEqual({
      type: "shell_call_output",
      call_id: "call_1",
      max_output_length: 4096,
      output: [
        { stdout: "one\n", stderr: "", outcome: { type: "exit", exit_code: 3 } },
        { stdout: `${home}\n`, stderr: "", outcome: { type: "exit", exit_code: 0 } },
      ],
    })
    expect(await call(["exec sleep 1000"], { timeout_ms: 200 })).toEqual({
      type: "shell_call_output",
      call_id: "call_1",
      output: [{ stdout: "", stderr: "", outcome: { type: "timeout" } }],
    })
  })

  it("local_shell runs words with variables and a folder, and answers in JSON", async () => {
    const shell = localShellTool(tools)
    expect(shell.definition).toEqual({ type: "local_shell" })
    const call = async (action: object) => {
      const exec = { type: "exec" as const, command: [], env: {}, ...action }
      const answer = await shell.call({ type: "local_shell_call", call_id: "call_2", action: exec })
      expect(answer).toMatchObject({ type: "local_shell_call_output", id: "call_2", call_id: "call_2" })
      return JSON.parse(answer.output) as unknown
    }
    const command = ["sh", "-c", 'pwd; echo "$A" "$0"; exit 4', "it's $HOME"]
    expect(await call({ command, env: { A: "a b" }, working_directory: "/", timeout_ms: 60_000 })).toEqual({
      output: "/\na b it's $HOME\n",
      metadata: { exit_code: 4, duration_seconds: expect.any(Number) },
    })
    expect(await call({ command: ["sleep", "1000"], timeout_ms: 200 })).toMatchObject({
      output: "command timed out",
      metadata: { exit_code: 124 },
    })
    expect(await call({ command: ["id"], user: "root" })).toMatchObject({ metadata: { exit_code: 126 } })
    expect(await call({ command: ["pwd"], working_directory: "/no/such/folder" })).toMatchObject({
      output: expect.stringContaining("/no/such/folder"),
      metadata: { exit_code: 127 },
    })
  })

  it("an abort rejects, and stops the command", async () => {
    const control = new AbortController()
    let started = (): void => undefined
    const running = new Promise<void>((resolve) => (started = resolve))
    const call = shellTool(tools).call(
      { type: "shell_call", call_id: "c", action: { commands: ["exec sleep 1000"] } },
      { signal: control.signal, onSession: () => started() },
    )
    await running
    control.abort()
    await expect(call).rejects.toMatchObject({ reason: "Aborted" })
  })
})
