/**
 * Refuses specs that no operating system can start: an empty program name, and NUL bytes. Every spawner calls it first.
 */
import { missingProgram, nulByte, type SpawnError } from "./SpawnError.ts"
import type { SpawnSpec } from "./Spawner.ts"

/** Why this spec can never be started; `undefined` if nothing is wrong with it. */
export const refusal = ({ arg0 = "", argv, cwd, env, stdio }: SpawnSpec): SpawnError | undefined => {
  if (argv[0] === "") return missingProgram(stdio.kind)
  if (argv.some(hasNul)) return nulByte(stdio.kind, "argv")
  if (hasNul(arg0)) return nulByte(stdio.kind, "arg0")
  if (hasNul(cwd)) return nulByte(stdio.kind, "cwd")
  for (const name in env) {
    if (hasNul(name) || hasNul(env[name] ?? "")) return nulByte(stdio.kind, "env")
  }
  return undefined
}

const hasNul = (text: string): boolean => text.includes("\0")
