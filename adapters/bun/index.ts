/**
 * procwire for programs on Bun. `procwire/node`, `procwire/bun` and `procwire/deno` export the same names.
 *
 * @example
 * ```ts
 * import { connect } from "procwire/bun"
 *
 * const client = await connect({ inProcess: true })
 * const child = await client.start({ argv: ["echo", "hello"] })
 * for await (const bytes of child.output()) process.stdout.write(bytes)
 * await client.close()
 * ```
 *
 * @module
 */
import * as Program from "../shared/Program.ts"
import { platform } from "./platform.ts"

export type {
  CommandOptions,
  InProcessTarget,
  Program,
  RemoteTarget,
  Target,
  ToClient,
  UrlOptions,
} from "../shared/Program.ts"
export { layerSpawner } from "./BunSpawner.ts"

const program = Program.make(platform)

/** Connects a client to a server: over a URL, to a command's stdio, or in this process. */
export const connect: Program.Program["connect"] = program.connect

/** Opens the transport alone, for `ExecClient.make`. */
export const open: Program.Program["open"] = program.open
