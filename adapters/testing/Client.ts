/** Connects tests with the servers of this runtime, which a starved machine may start slowly. */
import type { CurrentOptions } from "../../core/client/Dialects.ts"
import * as Program from "../shared/Program.ts"
import { platform } from "./Runtime.ts"

const program = Program.make(platform)

/** `connect` of this runtime; only a hang reaches the deadline of its handshake. */
export const connect = ((target: Program.Target, options?: CurrentOptions) =>
  program.connect(target, { initializeTimeout: "60 seconds", ...options })) as Program.ToClient
