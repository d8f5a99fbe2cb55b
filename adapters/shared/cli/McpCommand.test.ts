/** McpCommand.ts and mcp/ with real clients: that of the MCP SDK and that of the AI SDK, which shares no code with it. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createMCPClient } from "@ai-sdk/mcp"
import { Experimental_StdioMCPTransport as AiStdioTransport } from "@ai-sdk/mcp/mcp-stdio"
import type { Progress } from "@modelcontextprotocol/sdk/types"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { toolDefinitions } from "../../../core/agent/Tools.ts"
import { command } from "../../testing/Runtime.ts"
import * as McpClient from "../testing/McpClient.ts"

let server: Awaited<ReturnType<typeof McpClient.start>>
beforeAll(async () => {
  server = await McpClient.start("--cwd", McpClient.home, "--shell", "/bin/sh", "-e", "GIVEN=by flag")
})
afterAll(async () => {
  await server.close()
  McpClient.removeHome()
})

const file = (name: string) => join(McpClient.home, name)
const appears = (name: string) => vi.waitFor(() => expect(existsSync(file(name))).toBe(true), 60_000)
const until = (name: string) => `while [ ! -e ${name} ]; do sleep 0.05; done`

describe("procwire mcp", () => {
  it("lists the tools with the schemas of the definitions, and says where commands run", async () => {
    const { tools } = await server.client.listTools()
    const outputSchema = expect.objectContaining({
      type: "object",
      properties: expect.objectContaining({ exit_code: expect.objectContaining({ type: "integer" }) }),
    })
    const annotations = expect.objectContaining({ title: expect.any(String) })
    expect(tools).toEqual(toolDefinitions().map((tool) => ({ ...tool, outputSchema, annotations })))
    const runs = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
    const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
    const stops = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }
    expect(tools.map(({ annotations }) => annotations)).toEqual([
      { title: "Run a shell command", ...runs },
      { title: "Write to a running command, or wait for it", ...runs },
      { title: "Read again what a command has printed", ...reads },
      { title: "See what the terminal of a command shows", ...reads },
      { title: "List the commands", ...reads },
      { title: "Stop a running command", ...stops },
    ])
    expect(tools.map(({ inputSchema }) => inputSchema["additionalProperties"])).toEqual(Array(6).fill(false))
    expect(server.client.getInstructions()).toBe(`Commands run with /bin/sh in ${McpClient.home} on linux.`)
  })

  it("runs a command where and with what it was told to, and gives the reply as text and as data", async () => {
    const { texts, structured, isError } = await server.exec('pwd; echo "$GIVEN, $TERM"')
    expect(texts).toEqual([
      expect.stringMatching(
        /^Chunk ID: [0-9a-f]{6}\nWall time: [\d.]+ seconds\nProcess exited with code 0\n/,
      ),
    ])
    expect(texts[0]).toContain(`\nOutput:\n${McpClient.home}\nby flag, dumb\n`)
    expect(structured).toEqual({
      chunk_id: texts[0]?.slice(10, 16),
      wall_time_seconds: expect.any(Number),
      exit_code: 0,
      original_token_count: Math.ceil(`${McpClient.home}\nby flag, dumb\n`.length / 4),
      output: `${McpClient.home}\nby flag, dumb\n`,
    })
    expect(isError).toBe(false)
  })

  it("takes a command that fails for a result, not for an error", async () => {
    const { structured, isError } = await server.exec("echo bad >&2; exit 3")
    expect({ ...structured, isError }).toMatchObject({ exit_code: 3, output: "bad\n", isError: false })
  })

  it("goes on with a session in a terminal", async () => {
    const script = "test -t 0 && stty -echo && echo ready && read line && echo got $line"
    const begun = await server.exec(script, { tty: true, yield_time_ms: 250 })
    expect(begun.structured).toMatchObject({ session_id: expect.any(Number) })
    const ended = await server.write(begun.structured["session_id"], {
      chars: "hello\n",
      yield_time_ms: 20_000,
    })
    expect(ended.structured).toMatchObject({ exit_code: 0, output: expect.stringMatching(/got hello\n$/) })
  })

  it("interrupts a command without a terminal", async () => {
    const script = "trap 'echo interrupted; exit 5' INT; touch trapped; while :; do sleep 0.05; done"
    const begun = await server.exec(script, { yield_time_ms: 250 })
    await appears("trapped")
    const ended = await server.write(begun.structured["session_id"], {
      chars: "\u0003",
      yield_time_ms: 20_000,
    })
    expect(ended.structured).toMatchObject({ exit_code: 5, output: "interrupted\n" })
  })

  it("answers two calls that wait for each other", async () => {
    const both = await Promise.all([
      server.exec(`touch first; ${until("second")}; echo one`),
      server.exec(`touch second; ${until("first")}; echo two`),
    ])
    expect(both.map(({ structured }) => structured["output"])).toEqual(["one\n", "two\n"])
  })

  it("tells the session and the output as it comes, to whoever asks for progress", async () => {
    const seen: Array<Progress> = []
    const onprogress = (progress: Progress) => {
      seen.push(progress)
      // The command ends only after its output was reported.
      if (progress.message?.includes("piece")) void server.exec("touch told")
    }
    const { structured } = await server.exec(`echo a piece; ${until("told")}`, {}, { onprogress })
    expect(structured).toMatchObject({ exit_code: 0, output: "a piece\n" })
    const text = seen.map(({ message = "" }) => message).join("")
    expect(text).toMatch(/^Process running with session ID \d+\na piece\n$/)
    const steps = seen.map(({ progress }) => progress)
    expect(steps).toEqual([...new Set(steps)].sort((one, other) => one - other))
  })

  it("leaves a cancelled command alone, tells its session with the next reply, and keeps its output", async () => {
    const controller = new AbortController()
    const script = `echo begun; touch begun; ${until("go")}; echo done; touch done`
    const cancelled = server.exec(script, {}, { signal: controller.signal })
    await appears("begun")
    controller.abort("enough")
    await expect(cancelled).rejects.toThrow("enough")

    const next = await server.exec("touch go; true")
    const session = Number(/session ID (\d+): echo begun/.exec(next.texts[1] ?? "")?.[1])
    expect(next.texts[1]).toBe(
      `A cancelled call of exec_command goes on with session ID ${session}: ${script}`,
    )
    expect(next.structured["notices"]).toEqual(next.texts.slice(1))
    await appears("done")
    const { structured } = await server.write(session)
    expect(structured).toMatchObject({ exit_code: 0, output: "begun\ndone\n" })
    expect((await server.exec("true")).texts).toHaveLength(1)
  })

  it("tells of a session that was ended for a new one, with its reply and to whoever asks for it", async () => {
    const own = await McpClient.start("--cwd", McpClient.home, "--shell", "/bin/sh")
    const begin = () => own.exec("exec sleep 600", { yield_time_ms: 250 })
    const first = await begin()
    await Promise.all(Array.from({ length: 63 }, begin))
    const last = await begin()
    const id = first.structured["session_id"]
    const notice =
      `Session ID ${id} was ended to make room for this command, because at most 64 sessions are kept; ` +
      "its command was killed: exec sleep 600"
    expect(last.structured).toMatchObject({ session_id: expect.any(Number), notices: [notice] })
    expect(last.texts).toEqual([expect.stringContaining(`\nNotice: ${notice}\nOutput:\n`)])
    const { texts, isError } = await own.write(id)
    expect(isError).toBe(true)
    expect(texts).toEqual([
      expect.stringMatching(
        new RegExp(
          `^write_stdin failed: Unknown process id ${id}: it was ended at [-0-9T:.]+Z to make room for session ID ` +
            `${last.structured["session_id"]}, .*: exec sleep 600$`,
        ),
      ),
    ])
    await own.close()
  })

  it("tells of a background process that outlives its command and holds its output", async () => {
    const { texts, structured } = await server.exec("sleep 600 & echo started")
    expect(structured).toMatchObject({
      exit_code: 0,
      output: "started\n",
      notices: [expect.stringContaining("a process that it left in the background still holds its output")],
    })
    expect(texts).toEqual([expect.stringContaining("\nNotice: The command has exited, but ")])
    expect((await server.exec("sleep 600 > /dev/null 2>&1 & echo started")).structured).not.toHaveProperty(
      "notices",
    )
  })

  it("says in words what was wrong with a call", async () => {
    const wrong = async (name: string, args: object) => {
      const { texts, isError } = await server.call(name, args)
      expect(isError).toBe(true)
      return texts.join("\n")
    }
    expect(await wrong("exec_command", { cmd: 5 })).toBe(
      "failed to parse function arguments: cmd: expected a string, got a number",
    )
    expect(await wrong("exec_command", {})).toContain("missing field `cmd`")
    expect(await wrong("exec_command", { cmd: "touch never", timeout: 5 })).toBe(
      "failed to parse function arguments: unknown field `timeout`, expected one of `cmd`, `workdir`, `shell`, " +
        "`login`, `tty`, `yield_time_ms`, `max_output_tokens`, `wait_for`, `timeout_ms`, `kill_on_cancel`",
    )
    expect(existsSync(file("never"))).toBe(false)
    expect(await wrong("write_stdin", { session_id: 5, toString: "" })).toContain("unknown field `toString`")
    expect(await wrong("exec_command", { cmd: "ls", workdir: "/no/such" })).toBe(
      "exec_command failed: cannot start /bin/sh: the working directory /no/such does not exist: No such file or " +
        "directory (os error 2). Call it with a workdir that exists, or without one for the default.",
    )
    expect(await wrong("write_stdin", { session_id: 5 })).toBe("write_stdin failed: Unknown process id 5")
    const { structured } = await server.exec("sleep 600", { yield_time_ms: 250 })
    const { session_id } = structured
    expect(await wrong("write_stdin", { session_id, chars: "x" })).toContain(
      "stdin is closed for this session",
    )
    await server.write(session_id, { chars: "\u0003" })
    await expect(server.call("no_such_tool", {})).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("Tool no_such_tool not found"),
    })
  })

  it("bounds what it says of a flood", async () => {
    const messages: Array<string> = []
    const onprogress = ({ message = "" }: Progress) => void messages.push(message)
    const { structured } = await server.exec(
      "seq 1 400000",
      { max_output_tokens: 200, yield_time_ms: 30_000 },
      { onprogress },
    )
    expect(structured).toMatchObject({ exit_code: 0, original_token_count: Math.ceil(2_688_895 / 4) })
    expect(String(structured["output"]).length).toBeLessThan(1_200)
    expect(String(structured["output"])).toMatch(/399999\n400000\n$/)
    expect(messages.every(({ length }) => length <= 4_096)).toBe(true)
  })

  it("tells that a far server is gone, and connects to the next one by itself", async () => {
    const words = command.map((word) => `"${word}"`).join(" ")
    const program = `sh -c 'echo $$ > ${file("pid")}; exec ${words} serve --listen stdio'`
    const far = await McpClient.start("--server-cmd", program, "--shell", "/bin/sh")
    // A server that is gone before it has answered has started nothing: wait until the session is reported.
    let onprogress: (progress: Progress) => void = () => {}
    const told = new Promise<void>((resolve) => {
      onprogress = ({ message = "" }) => message.includes("session ID") && resolve()
    })
    const waiting = far.exec("exec sleep 600", {}, { onprogress })
    await told
    process.kill(Number(readFileSync(file("pid"), "utf8")), "SIGKILL")
    const lost = await waiting
    expect(lost).toMatchObject({ isError: true, structured: { failure: expect.any(String) } })
    expect(lost.texts[0]).toContain("Process lost: ")
    expect((await far.exec("echo again")).structured).toMatchObject({ exit_code: 0, output: "again\n" })
    await far.close()
  })

  it("serves the client of the AI SDK", async () => {
    const flags = ["--cwd", McpClient.home, "--shell", "/bin/sh"]
    const client = await createMCPClient({
      transport: new AiStdioTransport(McpClient.configuration(...flags)),
    })
    const { exec_command: exec, write_stdin: write } = await client.tools()
    const options = { toolCallId: "1", messages: [] }
    const begun = await exec?.execute(
      { cmd: "read line; echo got $line", tty: true, yield_time_ms: 250 },
      options,
    )
    expect(begun).toMatchObject({ structuredContent: { session_id: expect.any(Number) } })
    const { session_id } = Object(begun).structuredContent
    const ended = await write?.execute({ session_id, chars: "it\n", yield_time_ms: 20_000 }, options)
    expect(ended).toMatchObject({
      structuredContent: { exit_code: 0, output: expect.stringContaining("got it") },
      content: [{ type: "text", text: expect.stringContaining("Process exited with code 0") }],
    })
    expect(await write?.execute({ session_id }, options)).toMatchObject({
      isError: true,
      content: [{ text: `write_stdin failed: Unknown process id ${session_id}` }],
    })
    await client.close()
  })
})
