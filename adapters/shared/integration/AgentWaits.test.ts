/** Waits of a model for real programs: ports, prompts, passwords, deadlines, and output that was cut. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type AgentTools, createTools } from "../../../core/agent/AgentTools.ts"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import * as Ports from "../testing/Ports.ts"

const [program, ...main] = command
const home = mkdtempSync(join(tmpdir(), "procwire-agent-waits-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const hasPython = (() => {
  try {
    execFileSync("python3", ["-c", ""])
    return true
  } catch {
    return false
  }
})()

const places = {
  "in this process": () => connect({ inProcess: true }),
  "on a server of its own": () =>
    connect({ command: program, args: [...main, "serve", "--listen", "stdio"], stderr: "ignore" }),
}

describe.each(Object.entries(places))("The tools %s", (_, open) => {
  let client: Client
  let tools: AgentTools
  beforeAll(async () => {
    client = await open()
    tools = createTools(client, { cwd: home, shell: "/bin/sh", env: { HOME: home } })
  })
  afterAll(() => client.close())

  const can = (name: "processWaitInput" | "processWaitPort") =>
    client.environmentInfo.capabilities?.[name] === true

  it.skipIf(!hasPython)("wait until a server listens", { tags: ["python3"] }, async (test) => {
    if (!can("processWaitPort")) test.skip("this server cannot tell who listens")
    const port = await Ports.unused()
    const cmd = `exec python3 -m http.server ${port} --bind 127.0.0.1`
    const reply = await tools.execCommand({ cmd, wait_for: { port } })
    expect(reply).toMatchObject({ sessionId: expect.any(Number), wait: { by: "port" } })
    const fetched = await tools.execCommand({
      cmd: `python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:${port}/').status)"`,
      wait_for: { exit: true },
    })
    expect(fetched).toMatchObject({ exitCode: 0, output: "200\n" })
    const stopped = await tools.stopCommand({ session_id: reply.sessionId ?? 0 })
    expect(stopped).toMatchObject({ exitCode: 143, endedBy: "stop" })
  })

  it("are told of a prompt, and whether it is for a password, with all of its text", async (test) => {
    if (!can("processWaitInput")) test.skip("this server cannot tell who asks for input")
    const cmd = `printf 'Name: '; read name; stty -echo; printf 'Password: '; read word; stty echo; echo "$name $word"`
    const name = await tools.execCommand({ cmd, tty: true, wait_for: { exit: true } })
    expect(name).toMatchObject({ output: "Name: ", wait: { by: "input", asks: "input" } })
    const session_id = name.sessionId ?? 0
    const word = await tools.writeStdin({ session_id, chars: "me\n", wait_for: { exit: true } })
    expect(word).toMatchObject({ output: "me\nPassword: ", wait: { by: "input", asks: "password" } })
    const end = await tools.writeStdin({ session_id, chars: "secret\n", wait_for: { exit: true } })
    expect(end).toMatchObject({ output: "me secret\n", exitCode: 0, wait: { by: "exit" } })
  })

  it("take every answer of a program that asks again and again", async (test) => {
    if (!can("processWaitInput")) test.skip("this server cannot tell who asks for input")
    const cmd = "while printf '> ' && read x; do echo $((x * 2)); done"
    const begun = await tools.execCommand({ cmd, tty: true, wait_for: { input: true } })
    expect(begun.output).toBe("> ")
    const session_id = begun.sessionId ?? 0
    for (let count = 1; count <= 10; count += 1) {
      const { output } = await tools.writeStdin({
        session_id,
        chars: `${count}\n`,
        wait_for: { input: true },
      })
      expect(output).toBe(`${count}\n${count * 2}\n> `)
    }
    await tools.stopCommand({ session_id, grace_ms: 0 })
  })

  it("end a command and what it has started at its deadline, and keep its output", async () => {
    const cmd = "echo $$; sh -c 'trap \"\" TERM; while :; do sleep 0.05; done' & wait"
    const reply = await tools.execCommand({ cmd, timeout_ms: 1_500 })
    expect(reply).toMatchObject({ endedBy: "timeout", output: expect.stringMatching(/^\d+\n$/) })
    const gone = `while kill -0 -${reply.output.trim()} 2>/dev/null; do sleep 0.05; done; echo gone`
    expect((await tools.execCommand({ cmd: gone, wait_for: { exit: true } })).output).toBe("gone\n")
  })

  it("read a long output again, its end and what matches, after the command has ended", async () => {
    const cmd = "seq 1 700000; echo failed: test 7; seq 1 100"
    const reply = await tools.execCommand({ cmd, wait_for: { exit: true }, max_output_tokens: 20 })
    expect(reply.exitCode).toBe(0)
    const { commands = [] } = await tools.listCommands()
    const session_id = commands.at(-1)?.sessionId ?? 0
    expect((await tools.readOutput({ session_id, grep: "fail", context: 1 })).output).toBe(
      "700000-700000\n700001:failed: test 7\n700002-1\n",
    )
    expect((await tools.readOutput({ session_id, tail: 2 })).output).toBe("99\n100\n")
    const [before = "", after = ""] = reply.output.split(/…\d+ tokens truncated…/)
    let middle = ""
    for (let call = reply.rest?.call; call !== undefined;) {
      const next = await tools.call(call.tool, { ...call.arguments, max_output_tokens: 500_000 })
      middle += next.output
      call = next.rest?.call
    }
    const numbers = (most: number) => Array.from({ length: most }, (_, index) => `${index + 1}\n`).join("")
    const whole = `${numbers(700_000)}failed: test 7\n${numbers(100)}`
    expect(before.split("\n\n")[1] + middle + after === whole).toBe(true)
  })

  it("stop a command when a call with kill_on_cancel is aborted", async () => {
    const abort = new AbortController()
    const call = tools.execCommand(
      { cmd: "echo begun; exec sleep 600", wait_for: { exit: true }, kill_on_cancel: true },
      { signal: abort.signal, onOutput: () => abort.abort() },
    )
    const error = await call.catch((error: unknown) => error)
    const { sessionId: session_id = 0 } = error as { sessionId?: number }
    expect(error).toMatchObject({
      reason: "Aborted",
      message: `the call was cancelled; process with session ID ${session_id} is being stopped`,
    })
    const end = await tools.writeStdin({ session_id, wait_for: { exit: true } })
    expect(end).toMatchObject({ exitCode: 143, output: "begun\n", endedBy: "cancel" })
  })
})
