/**
 * procwire for programs on Node, Bun and Deno: `procwire/node`, `procwire/bun` and `procwire/deno` are this module.
 *
 * @example
 * ```ts
 * import { connect, serve } from "procwire/node"
 *
 * const client = await connect({ inProcess: true })
 * const child = await client.start({ argv: ["echo", "hello"] })
 * for await (const bytes of child.output()) process.stdout.write(bytes)
 * await client.close()
 *
 * const server = await serve({ listen: "ws://127.0.0.1:7000", limits: { processes: 100 } })
 * await server.close({ graceMs: 5000 })
 * ```
 *
 * @module
 */
import * as Program from "../shared/Program.ts"
import { platform } from "../shared/HostPlatform.ts"

export type {
  CommandOptions,
  InProcessTarget,
  RemoteTarget,
  Serve,
  Target,
  ToClient,
  UrlOptions,
  UrlTarget,
} from "../shared/Program.ts"
export * from "../../core/client/door.ts"
export type { V0Options } from "../../core/client/Dialects.ts"
export type { V0Client } from "../../core/client/v0/V0Client.ts"
export * from "../shared/serve/index.ts"

const program = Program.make(platform)

/** Connects a client to a server: over a URL, to a command's stdio, or in this process. */
export const connect: Program.ToClient = program.connect

/** Starts a server in this program, with the options of `procwire serve` and a few more. */
export const serve: Program.Serve = program.serve
