import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import { expect, it } from "vitest"
import type { Outgoing, TransportError } from "../../../core/transport/Transport.ts"
import * as McpSdk from "./McpSdk.ts"
import * as McpTransport from "./McpTransport.ts"

it("answers what came in one piece with EOF", async () => {
  const incoming = await Effect.runPromise(Mailbox.make<string, TransportError>())
  const sent: Array<string> = []
  const write = (text: Outgoing) => sent.push(String(text)) > 0
  const transport = { label: "test", incoming, write, onDrain: () => {}, close: Effect.void }
  const mcp = McpTransport.make(McpSdk, transport)
  const server = new McpSdk.Server({ name: "test", version: "1" }, { capabilities: { tools: {} } })
  await server.connect(mcp)
  incoming.unsafeOffer('{"jsonrpc":"2.0","id":1,"method":"ping"}')
  incoming.unsafeDone(await Effect.runPromiseExit(Effect.void))
  await Effect.runPromise(mcp.run)
  expect(sent.map((text) => JSON.parse(text))).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }])
})
