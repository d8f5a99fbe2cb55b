/** The tools and the resources of the MCP server over real commands, with the SDK's own client at the other end. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client as McpClient } from "@modelcontextprotocol/sdk/client"
// @ts-types="@modelcontextprotocol/sdk/inMemory"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { afterAll, expect, it, vi } from "vitest"
import { connect } from "../../testing/Client.ts"
import { createServer, type ServerOptions } from "./McpServer.ts"

const home = mkdtempSync(join(tmpdir(), "procwire-resources-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

type Structured = { session_id: number; exit_code: number; output: string } & Record<string, never>

const opened = async (options: ServerOptions = {}) => {
  const client = await connect({ inProcess: true })
  const server = await createServer(client, { cwd: home, shell: "/bin/sh", env: { HOME: home }, ...options })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const mcp = new McpClient({ name: "test", version: "1" })
  const told: Array<string> = []
  mcp.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told.push("list"))
  mcp.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri))
  await Promise.all([server.connect(near), mcp.connect(far)])
  // The client checks results against their schemas once it has listed the tools.
  await mcp.listTools()
  const call = async (name: string, args: object, signal?: AbortSignal) => {
    const request = { name, arguments: { ...args } }
    const result = await mcp.callTool(request, undefined, signal === undefined ? {} : { signal })
    const texts = (result.content as ReadonlyArray<{ text: string }>).map(({ text }) => text)
    return { texts, structured: (result.structuredContent ?? {}) as Structured, isError: result.isError }
  }
  const close = async () => {
    await mcp.close()
    await client.close()
  }
  return { mcp, call, told, close }
}

const soon = (look: () => void) => vi.waitFor(look, { timeout: 60_000 })

it("offers the output of each command as a resource, which can be read in parts", async () => {
  const { mcp, call, close } = await opened()
  expect(mcp.getServerCapabilities()).toMatchObject({ resources: { subscribe: true, listChanged: true } })
  expect((await mcp.listResources()).resources).toEqual([])
  expect((await mcp.listResourceTemplates()).resourceTemplates).toEqual([
    expect.objectContaining({ uriTemplate: "procwire://commands/{session_id}/output" }),
  ])
  const done = await call("exec_command", { cmd: "seq 1 200000; exit 3", wait_for: { exit: true } })
  expect(done.structured).toMatchObject({ exit_code: 3, wait_ended_by: "exit" })
  const { resources } = await mcp.listResources()
  expect(resources).toEqual([
    {
      uri: expect.stringMatching(/^procwire:\/\/commands\/\d+\/output$/),
      name: "seq 1 200000; exit 3",
      description: expect.stringContaining("which has exited with code 3"),
      mimeType: "text/plain",
      size: 1_288_895,
    },
  ])
  const uri = resources[0]?.uri ?? ""
  let whole = ""
  for (let next: string | undefined = uri; next !== undefined;) {
    const { contents } = await mcp.readResource({ uri: next })
    whole += contents[0] !== undefined && "text" in contents[0] ? contents[0].text : ""
    next = contents[1]?.uri
  }
  expect(whole).toBe(Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join(""))
  for (const wrong of [
    "procwire://commands/5/output",
    "procwire://x",
    `${uri}?from_byte=-1`,
    "file:///etc/passwd",
  ])
    await expect(mcp.readResource({ uri: wrong })).rejects.toMatchObject({ code: -32002 })
  await close()
})

it("tells of output to who has subscribed to it, until the command has ended, and to nobody else", async () => {
  const { mcp, call, told, close } = await opened()
  const start = () => call("exec_command", { cmd: "cat", tty: true, wait_for: { quiet_ms: 1, input: false } })
  const heard = await start()
  // No request for resources has come yet.
  expect(told).toEqual([])
  const { resources } = await mcp.listResources()
  const uri = resources[0]?.uri ?? ""
  await mcp.subscribeResource({ uri })
  const other = await start()
  await soon(() => expect(told).toContain("list"))
  await call("write_stdin", {
    session_id: other.structured.session_id,
    chars: "unheard\n",
    wait_for: { text: "unheard" },
  })
  await call("write_stdin", {
    session_id: heard.structured.session_id,
    chars: "line\n",
    wait_for: { text: "line" },
  })
  await soon(() => expect(told).toContain(uri))
  expect(await mcp.readResource({ uri })).toMatchObject({
    contents: [{ text: expect.stringMatching(/^line\n/) }],
  })
  await call("stop_command", { session_id: heard.structured.session_id })
  await soon(() => expect(told.filter((each) => each === uri).length).toBeGreaterThan(1))
  await mcp.unsubscribeResource({ uri })
  expect(told.filter((each) => each !== "list").every((each) => each === uri)).toBe(true)
  await close()
})

it("names the call that gets the rest of a text that was cut, and the call gets it", async () => {
  const { call, close } = await opened()
  const { texts, structured } = await call("exec_command", {
    cmd: "seq 1 5000",
    yield_time_ms: 30_000,
    max_output_tokens: 100,
  })
  const [, name = "", args = ""] = /call (\w+) (\{.*\})$/.exec(texts[1] ?? "") ?? []
  expect(structured["rest"]).toEqual({ tool: name, arguments: JSON.parse(args) })
  const rest = await call(name, JSON.parse(args))
  const [head = "", tail = ""] = structured.output.split(/…\d+ tokens truncated…/)
  const whole = Array.from({ length: 5_000 }, (_, index) => `${index + 1}\n`).join("")
  expect(head.split("\n\n")[1] + rest.structured.output + tail).toBe(whole)
  const found = await call("read_output", { ...JSON.parse(args), grep: "^4[0-9]00$" })
  expect(found.texts).toEqual([expect.stringMatching(/^10 matching lines .*\n.*\nOutput:\n4000:4000\n/)])
  await close()
})

it("kills the command of a cancelled call that asks for that, and says so with the next reply", async () => {
  const { call, close } = await opened()
  const abort = new AbortController()
  const cmd = "echo begun > begun; exec sleep 600"
  const cancelled = call(
    "exec_command",
    { cmd, wait_for: { exit: true }, kill_on_cancel: true },
    abort.signal,
  )
  await call("exec_command", { cmd: "until [ -s begun ]; do sleep 0.02; done", wait_for: { exit: true } })
  abort.abort("enough")
  await expect(cancelled).rejects.toThrow("enough")
  const next = await call("list_commands", { running: true })
  const [, id = ""] = /has its command stopped, session ID (\d+): echo begun/.exec(next.texts[1] ?? "") ?? []
  const ended = await call("write_stdin", { session_id: Number(id), wait_for: { exit: true } })
  expect(ended.structured).toMatchObject({ exit_code: 143, ended_by: "cancel" })
  await close()
})

it("shows what a terminal shows, with its cursor and title, and takes no output from the next reply", async () => {
  const { mcp, call, close } = await opened()
  const { tools } = await mcp.listTools()
  expect(tools.find(({ name }) => name === "read_screen")).toMatchObject({
    annotations: { readOnlyHint: true, title: "See what the terminal of a command shows" },
    inputSchema: { required: ["session_id"] },
  })
  const cmd =
    "stty -echo; printf 'gone\\033]2;a menu\\007\\033[?25l'; read go; printf '\\033[2J\\033[2;3Hchosen'; read end"
  const { structured } = await call("exec_command", { cmd, tty: true, wait_for: { text: "a menu" } })
  const { session_id } = structured
  const shown = await call("read_screen", { session_id })
  expect(shown.structured).toMatchObject({
    session_id,
    output: "gone",
    screen: {
      session_id,
      rows: 24,
      columns: 80,
      cursor_row: 1,
      cursor_column: 5,
      cursor_visible: false,
      title: "a menu",
      alternate: false,
      scrollback: 0,
    },
  })
  await call("write_stdin", { session_id, chars: "\n", wait_for: { text: "chosen" } })
  expect((await call("read_screen", { session_id })).texts).toEqual([
    `Screen of session ID ${session_id}: 24 rows, 80 columns, title "a menu"\nCursor: row 2, column 9 (hidden)\n` +
      `Process running with session ID ${session_id}\nOutput:\n\n  chosen`,
  ])
  const pipes = await call("exec_command", { cmd: "sleep 600", yield_time_ms: 250 })
  const refused = await call("read_screen", { session_id: pipes.structured.session_id })
  expect(refused.isError).toBe(true)
  expect(refused.texts[0]).toContain("rerun exec_command with tty=true")
  await close()
})

it("offers nothing but the tools of Codex to who wants no more", async () => {
  const { mcp, call, told, close } = await opened({ tools: "codex" })
  expect(mcp.getServerCapabilities()).toEqual({ tools: {} })
  expect((await mcp.listTools()).tools.map(({ name }) => name)).toEqual(["exec_command", "write_stdin"])
  const { texts, structured } = await call("exec_command", { cmd: "seq 1 5000", max_output_tokens: 100 })
  expect(texts).toHaveLength(1)
  expect(structured).not.toHaveProperty("rest")
  expect((await call("exec_command", { cmd: "true", wait_for: { exit: true } })).isError).toBe(true)
  expect(told).toEqual([])
  await close()
})
