/** The MCP server over a client, with the SDK's own client at the other end. */
import { Client as McpClient } from "@modelcontextprotocol/sdk/client"
// @ts-types="@modelcontextprotocol/sdk/inMemory"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { createServer } from "./McpServer.ts"

const opened = async (options: Parameters<typeof createServer>[1]) => {
  const client = await connect({ inProcess: true })
  const server = await createServer(client, options)
  const [near, far] = InMemoryTransport.createLinkedPair()
  const mcp = new McpClient({ name: "test", version: "1" })
  await Promise.all([server.connect(near), mcp.connect(far)])
  return { client, server, mcp }
}

it("offers the tools over any transport of the SDK", async () => {
  const { client, mcp } = await opened({ cwd: "/", shell: "/bin/sh" })
  expect(mcp.getInstructions()).toMatch(/^Commands run with \/bin\/sh in \//)
  const result = await mcp.callTool({ name: "exec_command", arguments: { cmd: "pwd" } })
  expect(result).toMatchObject({ structuredContent: { exit_code: 0, output: "/\n" } })
  await mcp.close()
  await client.close()
})

it("kills its commands when its transport closes, and leaves the client open", async () => {
  const { client, server, mcp } = await opened({ instructions: "Be quick." })
  expect(mcp.getInstructions()).toBe("Be quick.")
  const cmd = "echo $$; exec sleep 1000"
  const call = async (name: string, more: object) => {
    const { structuredContent } = await mcp.callTool({ name, arguments: { yield_time_ms: 250, ...more } })
    return structuredContent as { output: string; session_id: number }
  }
  let { output, session_id } = await call("exec_command", { cmd })
  while (!output.endsWith("\n")) output += (await call("write_stdin", { session_id })).output
  await server.close()
  const gone = `while kill -0 ${output.trim()}; do sleep 0.02; done 2>/dev/null; echo gone`
  expect(await client.run({ argv: ["sh", "-c", gone] })).toMatchObject({ stdout: "gone\n" })
  await client.close()
})

it("names the argument that is wrong, and says what it is", async () => {
  const { client, mcp } = await opened({ cwd: "/", shell: "/bin/sh" })
  const wrong = async (name: string, args: object) => {
    const { content, isError } = await mcp.callTool({ name, arguments: { ...args } })
    expect(isError).toBe(true)
    return (content as ReadonlyArray<{ text: string }>)[0]?.text
  }
  const begin = "failed to parse function arguments: "
  expect(await wrong("exec_command", { cmd: ["ls"] })).toBe(`${begin}cmd: expected a string, got an array`)
  expect(await wrong("exec_command", { cmd: "ls", tty: "yes" })).toBe(
    `${begin}tty: expected a boolean, got a string`,
  )
  expect(await wrong("exec_command", { cmd: "ls", timeout_ms: -1 })).toBe(
    `${begin}timeout_ms: expected an integer from 0, got -1`,
  )
  expect(await wrong("exec_command", { cmd: "ls", wait_for: { text: 5 } })).toBe(
    `${begin}wait_for.text: expected a string, got a number`,
  )
  expect(await wrong("exec_command", { cmd: "ls", wait_for: { texts: "a" } })).toBe(
    `${begin}wait_for.texts: is not known, expected one of exit, text, pattern, quiet_ms, port, input`,
  )
  expect(await wrong("write_stdin", { session_id: "5" })).toBe(
    `${begin}session_id: expected an integer, got a string`,
  )
  await mcp.close()
  await client.close()
})

it("lists its tools in less than 10 kB", async () => {
  const { client, mcp } = await opened({})
  const { tools } = await mcp.listTools()
  expect(tools).toHaveLength(6)
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(10_000)
  await mcp.close()
  await client.close()
})
