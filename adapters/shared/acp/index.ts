/**
 * Processes for agents that speak the Agent Client Protocol, version 2: display-only terminals, which show a client
 * what a command prints. The types are those of `@agentclientprotocol/sdk`, which procwire does not install; nothing of
 * it is loaded.
 *
 * @example
 * ```ts
 * import { display, type DisplayUpdate } from "procwire/acp"
 * import { connect } from "procwire/runtime"
 *
 * // In an agent: (update) => context.client.notify("session/update", { sessionId, update })
 * const send = async (update: DisplayUpdate): Promise<void> => console.log(update)
 *
 * const client = await connect({ inProcess: true })
 * const child = await client.start({ argv: ["make", "test"], cwd: "/srv/project", env: {}, tty: true })
 * const terminal = display(child, { terminalId: child.id, command: "make test", cwd: "/srv/project", send })
 * console.log(terminal.content) // of the tool call, which shows the terminal there
 * await terminal.done
 * await client.close()
 * ```
 *
 * @module
 */
export { display } from "./DisplayTerminal.ts"
export type { DisplayOptions, DisplayTerminal, DisplayUpdate } from "./DisplayTerminal.ts"
