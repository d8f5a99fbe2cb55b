/** The client of the MCP SDK, connected to `procwire mcp` on this runtime as a host starts it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client"
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol"
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
// @ts-types="@modelcontextprotocol/sdk/types"
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js"
import { command } from "../../testing/Runtime.ts"

/** An empty home folder, because commands run in login shells. */
export const home = mkdtempSync(join(tmpdir(), "procwire-mcp-"))
export const removeHome = () => rmSync(home, { recursive: true, force: true })

/** The configuration by which a host starts the server. */
export const configuration = (...flags: ReadonlyArray<string>) => {
  const [program, ...main] = command
  const env = { ...process.env, HOME: home } as Record<string, string>
  return { command: program, args: [...main, "mcp", ...flags], env }
}

export interface Result {
  /** The text blocks, in order. */
  readonly texts: ReadonlyArray<string>
  readonly structured: Readonly<Record<string, unknown>>
  readonly isError: boolean
}

export const start = async (...flags: ReadonlyArray<string>) => {
  const transport = new StdioClientTransport({ ...configuration(...flags), stderr: "inherit" })
  const client = new Client({ name: "test", version: "1" })
  await client.connect(transport)
  // The client checks results against their schemas once it has listed the tools.
  await client.listTools()

  const call = async (name: string, args: object, options?: RequestOptions): Promise<Result> => {
    const request = { name, arguments: { ...args } }
    const {
      content,
      structuredContent = {},
      isError = false,
    } = CallToolResultSchema.parse(await client.callTool(request, CallToolResultSchema, options))
    const texts = content.map((block) => (block.type === "text" ? block.text : block.type))
    return { texts, structured: structuredContent, isError }
  }
  return {
    client,
    pid: transport.pid ?? 0,
    close: () => client.close(),
    exec: (cmd: string, args: object = {}, options?: RequestOptions) =>
      call("exec_command", { cmd, ...args }, options),
    write: (session_id: unknown, args: object = {}, options?: RequestOptions) =>
      call("write_stdin", { session_id, ...args }, options),
    call,
  }
}
