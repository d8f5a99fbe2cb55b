/** core/agent over real shells: in this process, and on a server process. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type AgentTools, createTools, type TextReply } from "../../../core/agent/AgentTools.ts"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"

const [program, ...main] = command
const outer = { TERM: "foo", PAGER: "less", NO_COLOR: "" }

const places = {
  "in this process": () => connect({ inProcess: true }),
  "on a server of its own": () => {
    const env = { ...process.env, ...outer } as Record<string, string>
    return connect({ command: program, args: [...main, "serve", "--listen", "stdio"], env, stderr: "ignore" })
  },
}

describe.each(Object.entries(places))("The tools %s", (_, open) => {
  let client: Client
  let tools: AgentTools
  const home = mkdtempSync(join(tmpdir(), "procwire-agent-"))
  const before = { ...process.env }

  beforeAll(async () => {
    Object.assign(process.env, outer)
    client = await open()
    tools = createTools(client, { cwd: home, env: { HOME: home } })
  })
  afterAll(async () => {
    await client.close()
    for (const name of Object.keys(outer)) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
    rmSync(home, { recursive: true })
  })

  /** Waits for output, or for the end. */
  const until = async (reply: TextReply, wanted: RegExp, from = tools): Promise<string> => {
    let { output, sessionId } = reply
    while (!wanted.test(output) && sessionId !== undefined) {
      const next = await from.writeStdin({ session_id: sessionId })
      output += next.output
      sessionId = next.sessionId
    }
    return output
  }

  it("b87: tell of a quick command's exit", async () => {
    const reply = await tools.call("exec_command", { cmd: "echo out; echo err >&2; echo out2; exit 3" })
    expect(reply.text).toBe(
      `Chunk ID: ${reply.chunkId}\nWall time: ${reply.wallSeconds.toFixed(4)} seconds\n` +
        `Process exited with code 3\nOriginal token count: 4\nOutput:\n${reply.output}`,
    )
    // stdout and stderr are two pipes: their order is not defined.
    expect(reply.output.split("\n").sort()).toEqual(["", "err", "out", "out2"])
    expect(reply.wallSeconds).toBeLessThan(10)
  })

  it("b91: talk with a program in a terminal until its end", async () => {
    const cat = await tools.execCommand({ cmd: "cat", tty: true, yield_time_ms: 250 })
    const session_id = cat.sessionId ?? 0
    const echoed = await tools.writeStdin({ session_id, chars: "hello\n" })
    expect(await until(echoed, /hello\nhello\n/)).toBe("hello\nhello\n")
    const size = await tools.execCommand({ cmd: "stty size", tty: true })
    expect(size.output).toBe("24 80\n")
    let last = await tools.writeStdin({ session_id, chars: "\u0004" })
    while (last.sessionId !== undefined) last = await tools.writeStdin({ session_id })
    expect(last.exitCode).toBe(0)
    await expect(tools.writeStdin({ session_id })).rejects.toMatchObject({
      reason: "UnknownSession",
      message: `write_stdin failed: Unknown process id ${session_id}`,
    })
  })

  it("b92: interrupt without a terminal, whoever heeds it", async () => {
    const sleep = await tools.execCommand({ cmd: "exec sleep 60", yield_time_ms: 250 })
    await expect(tools.writeStdin({ session_id: sleep.sessionId ?? 0, chars: "x" })).rejects.toMatchObject({
      reason: "StdinClosed",
    })
    const deaf = await tools.execCommand({ cmd: "trap '' INT; echo deaf; exec sleep 60", yield_time_ms: 250 })
    await until(deaf, /deaf/)
    expect(await tools.writeStdin({ session_id: deaf.sessionId ?? 0, chars: "\u0003" })).toMatchObject({
      sessionId: deaf.sessionId,
    })
    const interrupted = await tools.writeStdin({
      session_id: sleep.sessionId ?? 0,
      chars: "\u0003",
      yield_time_ms: 30_000,
    })
    expect(interrupted.exitCode).toBe(130)
  })

  it("b94: bound three million bytes", async () => {
    const cmd = "head -c 3000000 /dev/zero | tr '\\0' x"
    const { output, originalTokenCount } = await tools.execCommand({
      cmd,
      max_output_tokens: 50,
      yield_time_ms: 30_000,
    })
    const half = "x".repeat(100)
    expect(output).toBe(
      "Warning: truncated output (original token count: 750000)\n... 1951424 bytes omitted ...\n\n" +
        `${half}…262102 tokens truncated…${half}`,
    )
    expect(originalTokenCount).toBe(750_000)
  })

  it("b95, b96: cut to a budget, on borders of characters", async () => {
    const cmd = "seq 1 20000"
    const lines = await tools.execCommand({ cmd, max_output_tokens: 100, yield_time_ms: 30_000 })
    expect(lines.output).toMatch(/^Warning: .*27224\)\nTotal output lines: 20000\n\n1\n2\n/)
    expect(lines.output).toContain("…27124 tokens truncated…")
    const text = await tools.execCommand({ cmd: "printf é%.0s $(seq 100)", max_output_tokens: 9 })
    expect(text.output).toMatch(/\n\né{9}…41 tokens truncated…é{9}$/)
  })

  it("b97: do not wait for a descendant that holds the output", async () => {
    const reply = await tools.execCommand({ cmd: "(sleep 60 &); echo parent" })
    expect(reply).toMatchObject({
      exitCode: 0,
      output: "parent\n",
      notices: [expect.stringContaining("still holds its output")],
    })
    expect(reply.text).toContain("Notice: The command has exited, but a process")
    const quiet = await tools.execCommand({ cmd: "(sleep 60 > /dev/null 2>&1 &); echo parent" })
    expect(quiet).not.toHaveProperty("notices")
    expect(reply.wallSeconds).toBeLessThan(10)
  })

  it("b99: give the same environment to the first command and to later ones, in pipes and terminals", async () => {
    const cmd =
      'echo "$TERM,$PAGER,$NO_COLOR,$LANG,$LC_CTYPE,$LC_ALL,$COLORTERM,$GIT_PAGER,$GH_PAGER,$CODEX_CI"; ' +
      "shopt login_shell"
    for (const tty of [false, true, false, true]) {
      const { output } = await tools.execCommand({ cmd, tty, shell: "/bin/bash" })
      expect(output.replaceAll("\r", "")).toBe(
        "dumb,cat,1,C.UTF-8,C.UTF-8,C.UTF-8,,cat,cat,1\nlogin_shell    \ton\n",
      )
    }
    const { output } = await tools.execCommand({ cmd, login: false, shell: "/bin/bash" })
    expect(output).toContain("login_shell    \toff\n")
  })

  it("b100: say what could not be started", async () => {
    const failing = async (wrong: object) =>
      tools.execCommand({ cmd: "true", ...wrong }).catch((error: unknown) => error)
    expect(await failing({ workdir: "/nonexistent", shell: "/bin/sh" })).toMatchObject({
      reason: "Create",
      message:
        "exec_command failed: cannot start /bin/sh: the working directory /nonexistent does not exist: " +
        "No such file or directory (os error 2). Call it with a workdir that exists, or without one for the default.",
    })
    expect(await failing({ shell: "/nonexistent" })).toMatchObject({
      reason: "Create",
      message:
        "exec_command failed: cannot start /nonexistent: it does not exist: No such file or directory (os error 2). " +
        "Call it with another shell, or without one for the default.",
    })
    expect(await failing({ shell: "/etc/passwd" })).toMatchObject({
      message: expect.stringMatching(
        /^exec_command failed: cannot start \/etc\/passwd: it may not be executed/,
      ),
    })
    expect(await failing({ cmd: "x".repeat(4_000_000), shell: "/bin/sh" })).toMatchObject({
      message: "exec_command failed: cannot start /bin/sh: Argument list too long (os error 7)",
    })
    const unknown = await tools.execCommand({ cmd: "no-such-command" })
    expect(unknown).toMatchObject({ exitCode: 127, output: expect.stringContaining("not found") })
  })

  it("run where they are told, relative to where they run", async () => {
    await tools.execCommand({ cmd: "mkdir -p a/b" })
    for (const [workdir, path] of [
      ["", home],
      ["a/b", `${home}/a/b`],
      ["/usr", "/usr"],
    ] as const) {
      expect((await tools.execCommand({ cmd: "pwd -P", workdir })).output.trim()).toMatch(
        new RegExp(`${path}$`),
      )
    }
  })

  it("stop waiting when they are told, and let the command go on", async () => {
    const abort = new AbortController()
    const heard: Array<string> = []
    const call = tools.execCommand(
      { cmd: "echo begun; read -r line; echo got $line", tty: true, yield_time_ms: 30_000 },
      {
        signal: abort.signal,
        onOutput: ({ text }) => {
          heard.push(text)
          abort.abort()
        },
      },
    )
    const error = await call.catch((error: unknown) => error)
    const session_id = (error as { sessionId: number }).sessionId
    expect(error).toMatchObject({
      reason: "Aborted",
      message: `the call was cancelled; process still running with session ID ${session_id}`,
    })
    expect(heard.join("")).toMatch(/^begun/)
    expect(tools.sessionIds()).toContain(session_id)
    const rest = await tools.writeStdin({ session_id, chars: "on\n", yield_time_ms: 30_000 })
    expect(rest).toMatchObject({ exitCode: 0, output: "begun\non\ngot on\n" })
  })

  it("kill what they have started when they are closed, and leave the client open", async () => {
    const own = createTools(client, { env: { HOME: home } })
    const begun = await own.execCommand({ cmd: "echo $$; exec sleep 60", yield_time_ms: 250 })
    const output = await until(begun, /\d+\n/, own)
    await own.close()
    const cmd = `while kill -0 ${Number(output)} 2>/dev/null; do sleep 0.05; done; echo gone`
    const told = await tools.execCommand({ cmd, yield_time_ms: 30_000 })
    expect(told.output).toBe("gone\n")
    await expect(own.execCommand({ cmd: "true" })).rejects.toMatchObject({ reason: "Closed" })
  })
})
