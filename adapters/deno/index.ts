/**
 * procwire for programs on Deno, with the names of `procwire/node`.
 *
 * @module
 */
import * as Program from "../shared/Program.ts"
import { platform } from "./platform.ts"

export * from "../shared/ProgramExports.ts"

const program = Program.make(platform)

/** Connects a client to a server: over a URL, to a command's stdio, or in this process. */
export const connect: Program.ToClient = program.connect

/** Starts a server in this program, with the options of `procwire serve` and a few more. */
export const serve: Program.Serve = program.serve
