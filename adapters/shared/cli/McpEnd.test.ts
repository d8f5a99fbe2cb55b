/** McpCommand.ts as a process: its flags, every byte on its stdio, its signals and its exit codes. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { command } from "../../testing/Runtime.ts"
import * as McpClient from "../testing/McpClient.ts"
import * as Proc from "../testing/Proc.ts"
import * as Command from "./Command.ts"
import * as McpCommand from "./McpCommand.ts"
import * as TextFile from "../host/TextFile.ts"

const far = `${command.map((word) => `'${word}'`).join(" ")} serve --listen stdio`

const running: Array<ChildProcess> = []
afterEach(() => running.splice(0).forEach((child) => child.kill("SIGKILL")))
afterAll(McpClient.removeHome)

const launch = (...flags: ReadonlyArray<string>) => {
  const { command, args, env } = McpClient.configuration(...flags)
  const child = spawn(command, args, { env, stdio: "pipe" })
  running.push(child)
  const said = { stdout: "", stderr: "" }
  child.stdout.on("data", (bytes: Buffer) => (said.stdout += bytes.toString()))
  child.stderr.on("data", (bytes: Buffer) => (said.stderr += bytes.toString()))
  const ended = Proc.ended(child)
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const messages = () =>
    said.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return { child, said, ended, send, messages }
}

const initialize = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
}
const callOf = (id: number, cmd: string) => ({
  id,
  method: "tools/call",
  params: { name: "exec_command", arguments: { cmd, shell: "/bin/sh" } },
})

/** The tests of another runtime look at the same processes, at the same time. */
const unique = (seconds: number) => `${seconds}.${process.pid}`

/** A server with one command that goes on running and is found by its argument. */
const withCommand = async (seconds: string) => {
  const server = launch()
  server.send(initialize)
  server.send(callOf(1, `sleep ${seconds} & exec sleep ${seconds}`))
  await vi.waitFor(() => expect(Proc.withArgument(seconds)).toHaveLength(2), { timeout: 60_000 })
  return server
}
const areGone = (seconds: string) =>
  vi.waitFor(() => expect(Proc.withArgument(seconds)).toEqual([]), { timeout: 60_000 })

describe("procwire mcp", () => {
  it("writes answers and nothing else on stdout, and nothing on stderr", async () => {
    const { child, said, ended, send, messages } = launch()
    send(initialize)
    send({ method: "notifications/initialized" })
    send({ id: "two", method: "tools/list" })
    await vi.waitFor(() => expect(messages()).toHaveLength(2), { timeout: 60_000 })
    child.stdin.end()
    expect(await ended).toBe(0)
    expect(said.stderr).toBe("")
    expect(messages()).toEqual([
      expect.objectContaining({ id: 0, result: expect.objectContaining({ protocolVersion: "2025-06-18" }) }),
      expect.objectContaining({ id: "two", result: { tools: Array(6).fill(expect.anything()) } }),
    ])
  })

  it("kills every command at the end of stdin, and exits with 0", async () => {
    const { child, ended } = await withCommand(unique(611))
    child.stdin?.end()
    expect(await ended).toBe(0)
    await areGone(unique(611))
  })

  it.each([
    ["SIGTERM", unique(612), 143],
    ["SIGINT", unique(613), 130],
    ["SIGHUP", unique(614), 129],
    ["SIGQUIT", unique(615), 131],
  ] as const)("ends every command after %s, and says that it died of it", async (signal, seconds, code) => {
    const { child, ended } = await withCommand(seconds)
    // Deno reports a child that it has signalled as dead of that signal, even if the child exited by itself.
    process.kill(child.pid ?? 0, signal)
    expect(await ended).toBe(code)
    await areGone(seconds)
  })

  it.each([[], ["--server-cmd", far]])("lets the traps of the commands run (%s)", async (...flags) => {
    const folder = mkdtempSync(join(tmpdir(), "procwire-mcp-"))
    const { child, ended, send } = launch(...flags)
    const [ready, gone] = [join(folder, "ready"), join(folder, "gone")]
    send(initialize)
    send(callOf(1, `trap 'echo bye >${gone}; exit' TERM; >${ready}; while :; do sleep 0.05; done`))
    await vi.waitFor(() => expect(existsSync(ready)).toBe(true), { timeout: 60_000 })
    process.kill(child.pid ?? 0, "SIGTERM")
    expect(await ended).toBe(143)
    expect(readFileSync(gone, "utf8")).toBe("bye\n")
    rmSync(folder, { recursive: true })
  })

  it("kills those that stay, at once after a second signal", async () => {
    const folder = mkdtempSync(join(tmpdir(), "procwire-mcp-"))
    const told = join(folder, "told")
    const { child, ended, send } = launch()
    send(initialize)
    send(
      callOf(
        1,
        `trap '>${told}' TERM; sh -c 'trap "" TERM; sleep ${unique(616)}; :' & while :; do wait; done`,
      ),
    )
    await vi.waitFor(() => expect(Proc.withArgument(unique(616))).toHaveLength(1), { timeout: 60_000 })
    process.kill(child.pid ?? 0, "SIGTERM")
    await vi.waitFor(() => expect(existsSync(told)).toBe(true), { timeout: 60_000 })
    process.kill(child.pid ?? 0, "SIGINT")
    expect(await ended).toBe(143)
    await areGone(unique(616))
    rmSync(folder, { recursive: true })
  })

  it("answers a request that is none, goes on behind what is no JSON, and says so on stderr alone", async () => {
    const { child, said, ended, send, messages } = launch()
    send(initialize)
    await vi.waitFor(() => expect(messages()).toHaveLength(1), { timeout: 60_000 })
    child.stdin.write("no json\n")
    send({ id: 7, method: 5 })
    send({ id: 8, method: "ping" })
    await vi.waitFor(() => expect(messages()).toHaveLength(3), { timeout: 60_000 })
    expect(messages().slice(1)).toEqual([
      { jsonrpc: "2.0", id: 7, error: { code: -32600, message: "Invalid Request" } },
      { jsonrpc: "2.0", id: 8, result: {} },
    ])
    expect(said.stderr).toContain("a message is no JSON")
    child.stdin.end()
    expect(await ended).toBe(0)
  })

  it("sends no progress to whoever did not ask for it", async () => {
    const { child, ended, send, messages } = launch()
    send(initialize)
    send(callOf(1, "echo some; sleep 0.3; echo more"))
    await vi.waitFor(() => expect(messages()).toHaveLength(2), { timeout: 60_000 })
    expect(messages()[1]).toMatchObject({ id: 1, result: { structuredContent: { output: "some\nmore\n" } } })
    child.stdin.end()
    expect(await ended).toBe(0)
  })

  it("exits with 1 where there is no server, and with 2 at wrong use", async () => {
    const none = launch("--server", "ws://127.0.0.1:1")
    expect(await none.ended).toBe(1)
    expect(none.said).toEqual({ stdout: "", stderr: expect.stringMatching(/^procwire: /) })
    const wrong = launch("--bogus")
    expect(await wrong.ended).toBe(2)
    expect(wrong.said.stderr).toBe(
      "procwire: unexpected argument '--bogus'\n\nFor more information, try 'procwire mcp --help'.\n",
    )
  })
})

describe.each([
  ["in this process", []],
  [
    "on a far server",
    ["--server-cmd", `${command.map((word) => `"${word}"`).join(" ")} serve --listen stdio`],
  ],
] as const)("procwire mcp %s", (_, target) => {
  it.each([
    [
      ["--cwd", "/no/such/folder", "--shell", "/bin/sh"],
      "invalid value '/no/such/folder' for '--cwd': cannot start /bin/sh: " +
        "the working directory /no/such/folder does not exist: No such file or directory (os error 2)",
    ],
    [
      ["--cwd", "/etc/passwd", "--shell", "/bin/sh"],
      "invalid value '/etc/passwd' for '--cwd': cannot start /bin/sh: " +
        "the working directory /etc/passwd is not a directory: Not a directory (os error 20)",
    ],
    [
      ["--shell", "/no/such/shell"],
      "invalid value '/no/such/shell' for '--shell': cannot start /no/such/shell: " +
        "it does not exist: No such file or directory (os error 2)",
    ],
    [
      ["--shell", "no-such-shell"],
      "invalid value 'no-such-shell' for '--shell': cannot start no-such-shell: " +
        "it is not in the PATH of the process: No such file or directory (os error 2)",
    ],
    [
      ["--shell", "/tmp"],
      "invalid value '/tmp' for '--shell': cannot start /tmp: it is a directory: Permission denied (os error 13)",
    ],
  ])("refuses %j at its start", async (flags, message) => {
    const { child, said, ended, send } = launch(...target, ...flags)
    send(initialize)
    expect(await ended).toBe(2)
    expect(said).toEqual({
      stdout: "",
      stderr: `procwire: ${message}\n\nFor more information, try 'procwire mcp --help'.\n`,
    })
    child.stdin.destroy()
  })

  it("begins where its directory and its shell are there", async () => {
    const { child, ended, send, messages } = launch(...target, "--cwd", "/usr", "--shell", "sh")
    send(initialize)
    send(callOf(1, "pwd"))
    await vi.waitFor(() => expect(messages()).toHaveLength(2), { timeout: 60_000 })
    expect(messages()[1]).toMatchObject({ result: { structuredContent: { output: "/usr\n" } } })
    child.stdin.end()
    expect(await ended).toBe(0)
  })
})

describe("the flags of procwire mcp", () => {
  const parsed = (args: ReadonlyArray<string>) => {
    const values = Effect.map(Command.parse(McpCommand.mcp, args), (given) => given.values)
    return Effect.provide(Effect.flatMap(values, McpCommand.read), TextFile.layer)
  }
  const parse = (args: ReadonlyArray<string>) => Effect.runSync(parsed(args))
  const refusal = (...args: ReadonlyArray<string>) => {
    const error = Effect.runSync(Effect.flip(parsed(args)))
    return `${error._tag}: ${error.message}`
  }

  it("say what holds for every command", () => {
    const { target, options } = parse([
      "--cwd",
      "src",
      "--shell",
      "zsh",
      "-e",
      "A=1",
      "--max-poll-ms",
      "50000",
    ])
    expect(target).toEqual({ inProcess: true })
    expect(options).toEqual({ cwd: "src", shell: "zsh", env: { A: "1" }, longestPollMillis: 50_000 })
    expect(parse([]).options).toEqual({ env: {} })
    expect(parse(["--server", "unix:/x"]).target).toEqual({ url: "unix:/x" })
  })

  it("name what they do not understand", () => {
    expect(refusal("--server", "http://x")).toBe(
      "UsageError: invalid value 'http://x' for '--server': expected ws://HOST:PORT, tcp://HOST:PORT, unix:PATH or ssh://HOST, or the name of a context",
    )
    expect(refusal("--server", "ws://h:1", "--server-cmd", "x")).toBe(
      "UsageError: --server and --server-cmd exclude each other",
    )
    expect(refusal("--max-poll-ms", "soon")).toContain("invalid value 'soon' for '--max-poll-ms'")
    expect(refusal("-e", "=x")).toContain("expected NAME=VALUE or NAME")
    expect(refusal("ls")).toContain("unexpected argument 'ls'")
  })
})
