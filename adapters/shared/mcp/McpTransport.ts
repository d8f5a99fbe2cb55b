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

  /** Requests whose answers the peer gets also behind its end. Calls of tools may take for ever, and end with it. */
  const asked = new Set<unknown>()
  let whenAnswered = () => {}
  const settle = (id: unknown) => {
    asked.delete(id)
    if (asked.size === 0) whenAnswered()
  }
  const allAnswered = Effect.callback<void>((resume) => {
    whenAnswered = () => resume(Effect.void)
    if (asked.size === 0) whenAnswered()
  })

  const note = (message: McpSdk.JSONRPCMessage): void => {
    if (!("method" in message)) return
    const cancelled = sdk.CancelledNotificationSchema.safeParse(message)
    if (cancelled.success) settle(cancelled.data.params.requestId)
    else if ("id" in message && message.method !== "tools/call") asked.add(message.id)
  }

  const accept = (text: string): void => {
    const json = parse(text)
    const message = sdk.JSONRPCMessageSchema.safeParse(json)
    if (message.success) {
      note(message.data)
      return mcp.onmessage?.(message.data)
    }
    const id = sdk.RequestIdSchema.safeParse(Object(json).id)
    const error = { code: sdk.ErrorCode.InvalidRequest, message: "Invalid Request" }
    if (id.success) write({ jsonrpc: "2.0", id: id.data, error })
    mcp.onerror?.(new Error(json === undefined ? "a message is no JSON" : "a message is no JSON-RPC"))
  }

  const mcp: McpTransport = {
    start: () => Promise.resolve(),
    send: (message) => {
      const room = write(message)
      if (!("method" in message)) settle(message.id)
      return room ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))
    },
    close: async () => {
      release()
      mcp.onclose?.()
    },
    run: Effect.gen(function* () {
      for (;;) {
        const [messages, done] = yield* transport.incoming.takeAll
        for (const message of messages) accept(message)
        if (done) return yield* allAnswered
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
