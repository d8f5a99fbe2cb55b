/** The error of a child whose egress rules cannot be kept on this machine: it is not started. */
import { SpawnError } from "../../../../core/spawn/SpawnError.ts"

export const make = (why: string, cause?: unknown): SpawnError =>
  new SpawnError({ reason: "Unconfinable", message: `egress rules cannot be kept here: ${why}`, cause })
