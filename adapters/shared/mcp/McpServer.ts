/** The MCP server for programs without Effect: over a client, for any transport of the SDK. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as UnifiedExec from "../../../core/agent/UnifiedExec.ts"
import type { Client } from "../../../core/client/Client.ts"
import { version } from "../Version.ts"
import * as Instructions from "./Instructions.ts"
import type { Server } from "./McpSdk.ts"
import * as ToolServer from "./ToolServer.ts"

/** The defaults of every command, and the instructions of the model. */
export interface ServerOptions extends UnifiedExec.Options {
  /** Facts about the host for the model; default: its shell, folder and operating system. */
  readonly instructions?: string
}

/**
 * A server of the MCP SDK that offers the tools of `procwire/agent` over a client: connect it to a transport.
 *
 * Its `onclose` kills every command that was started; the client stays open. Rejects if `@modelcontextprotocol/sdk` is
 * not installed.
 */
export const createServer = async (client: Client, options: ServerOptions = {}): Promise<Server> => {
  const scope = Effect.runSync(Scope.make())
  const tools = Effect.runSync(Scope.provide(UnifiedExec.make(client.effect, options), scope))
  const { instructions = Instructions.make(client.environmentInfo, options) } = options
  const server = await Effect.runPromise(
    Scope.provide(ToolServer.make(tools, { version, instructions }), scope),
  )
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  server.onclose = () => void Effect.runFork(Scope.close(scope, Exit.void))
  return server
}
