/**
 * Refuses specs that no operating system can start: an empty program name, and NUL bytes.
 *
 * The texts are the peer's, which has one for the environment of a pipe child and another for everything else.
 */
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"

/** Why this spec can never be started; `undefined` if nothing is wrong with it. */
export const refusal = (spec: Spawner.SpawnSpec): SpawnError.SpawnError | undefined => {
  const pty = spec.stdio.kind === "pty"
  if (spec.argv[0] === "") return invalid(`missing program for ${pty ? "PTY" : "pipe"} spawn`)
  if (spec.argv.some(hasNul) || hasNul(spec.arg0 ?? "") || hasNul(spec.cwd)) {
    return invalid("nul byte found in provided data")
  }
  for (const name in spec.env) {
    if (hasNul(name) || hasNul(spec.env[name] ?? "")) {
      return invalid(pty ? "nul byte found in provided data" : "data provided contains a nul byte")
    }
  }
  return undefined
}

const hasNul = (text: string): boolean => text.includes("\0")

const invalid = (message: string): SpawnError.SpawnError =>
  new SpawnError.SpawnError({ reason: "InvalidArgument", message })
