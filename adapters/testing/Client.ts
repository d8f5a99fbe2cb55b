/** Connects tests with the servers of this runtime, which a starved machine may start slowly. */
import process from "node:process"
import { pathToFileURL } from "node:url"
import type { CurrentOptions } from "../../core/client/Dialects.ts"
import * as Program from "../shared/Program.ts"
import { platform } from "./Runtime.ts"

/** The built package that is tested in place of the sources, which `npm run lab -- doors` names. */
const { TESTED_PACKAGE: built } = process.env

const program: Pick<Program.Program, "connect"> =
  built === undefined ? Program.make(platform) : await import(pathToFileURL(built).href)

/** `connect` of this runtime; only a hang reaches the deadline of its handshake. */
export const connect = ((target: Program.Target, options?: CurrentOptions) =>
  program.connect(target, { initializeTimeout: "60 seconds", ...options })) as Program.ToClient
