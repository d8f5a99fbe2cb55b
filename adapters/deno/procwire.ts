/**
 * `procwire` on Deno: everything of core, and `connect` of `procwire/deno`.
 *
 * @module
 */
import * as Program from "../shared/Program.ts"
import type { ToClient } from "../shared/ToClient.ts"
import { platform } from "./platform.ts"

export * from "../../core/index.ts"

/** Connects a client to a server: over a URL, to a command's stdio, or in this process. */
export const connect: ToClient = Program.make(platform).connect
