import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { expect, it } from "vitest"
import * as Inbox from "../../../core/transport/Inbox.ts"
import type { Outgoing } from "../../../core/transport/Transport.ts"
import * as McpSdk from "./McpSdk.ts"
import * as McpTransport from "./McpTransport.ts"

/** A transport with these messages and then its end, and what is sent to it. */
const fed = async (...messages: ReadonlyArray<object>) => {
  const inbox = await Effect.runPromise(
    Scope.provide(
      Inbox.make(() => {}),
      Scope.makeUnsafe(),
    ),
  )
  const sent: Array<string> = []
  const write = (text: Outgoing) => sent.push(String(text)) > 0
  for (const message of messages) inbox.offer(JSON.stringify({ jsonrpc: "2.0", ...message }))
  inbox.end()
  const mcp = McpTransport.make(McpSdk, {
    label: "test",
    incoming: inbox.incoming,
    write,
    onDrain: () => {},
    close: Effect.void,
  })
  return { mcp, sent: () => sent.map((text): unknown => JSON.parse(text)) }
}

it("answers what came in one piece with EOF", async () => {
  const { mcp, sent } = await fed({ id: 1, method: "ping" })
  const server = new McpSdk.Server({ name: "test", version: "1" }, { capabilities: { tools: {} } })
  await server.connect(mcp)
  await Effect.runPromise(mcp.run)
  expect(sent()).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }])
})

it("answers behind EOF what takes some time, but for calls of tools and what is cancelled", async () => {
  const { mcp, sent } = await fed(
    { id: 1, method: "tools/call", params: { name: "x" } },
    { id: 2, method: "resources/list" },
    { id: 3, method: "resources/read", params: { uri: "x:" } },
    { method: "notifications/cancelled", params: { requestId: 3 } },
  )
  const server = new McpSdk.Server(
    { name: "t", version: "1" },
    { capabilities: { tools: {}, resources: {} } },
  )
  const never = () => new Promise<never>(() => {})
  server.setRequestHandler(McpSdk.CallToolRequestSchema, never)
  server.setRequestHandler(McpSdk.ReadResourceRequestSchema, never)
  server.setRequestHandler(McpSdk.ListResourcesRequestSchema, async () => {
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
    return { resources: [] }
  })
  await server.connect(mcp)
  await Effect.runPromise(mcp.run)
  expect(sent()).toEqual([{ jsonrpc: "2.0", id: 2, result: { resources: [] } }])
})
