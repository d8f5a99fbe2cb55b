/**
 * A `Transport` in the form that the MCP SDK wants.
 *
 * The SDK's own stdio transport is not used: it writes to `process.stdout`, which blocks the whole process while a
 * client does not read. Here only the sender waits, and the processes go on.
 */
import * as Effect from "effect/Effect"
import type { Transport, TransportError } from "../../../core/transport/Transport.ts"
import type * as McpSdk from "./McpSdk.ts"

export interface McpTransport extends McpSdk.Transport {
  /** Delivers incoming messages to the SDK until the peer ends. */
  readonly run: Effect.Effect<void, TransportError>
}

export const make = (sdk: typeof McpSdk, transport: Transport): McpTransport => {
  const waiting: Array<() => void> = []
  const release = () => waiting.splice(0).forEach((go) => go())
  transport.onDrain(release)

  const write = (message: unknown): boolean => transport.write(JSON.stringify(message))

  const accept = (text: string): void => {
    const json = parse(text)
    const message = sdk.JSONRPCMessageSchema.safeParse(json)
    if (message.success) return mcp.onmessage?.(message.data)
    const id = sdk.RequestIdSchema.safeParse(Object(json).id)
    const error = { code: sdk.ErrorCode.InvalidRequest, message: "Invalid Request" }
    if (id.success) write({ jsonrpc: "2.0", id: id.data, error })
    mcp.onerror?.(new Error(json === undefined ? "a message is no JSON" : "a message is no JSON-RPC"))
  }

  const mcp: McpTransport = {
    start: () => Promise.resolve(),
    send: (message) =>
      write(message) ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
    close: async () => {
      release()
      mcp.onclose?.()
    },
    run: Effect.gen(function* () {
      for (;;) {
        const [messages, done] = yield* transport.incoming.takeAll
        for (const message of messages) accept(message)
        // The SDK answers in a later microtask, also what came in one piece with EOF.
        if (done) return yield* Effect.sleep(0)
      }
    }),
  }
  return mcp
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
