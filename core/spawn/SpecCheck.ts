/**
 * Refuses specs that no operating system can start: an empty program name, and NUL bytes. Every spawner calls it first.
 */
import * as NativePath from "../protocol/NativePath.ts"
import { missingProgram, nulByte, SpawnError } from "./SpawnError.ts"
import type { SpawnSpec } from "./Spawner.ts"

/** The fault of a spec that can never be started; `undefined` if it has none. */
export const refusal = ({ arg0 = "", argv, cwd, env, stdio }: SpawnSpec): SpawnError | undefined => {
  if (argv[0] === "") return missingProgram(stdio.kind)
  if (argv.some(hasNul)) return nulByte("argv")
  if (hasNul(arg0)) return nulByte("arg0")
  if (hasNul(cwd)) return nulByte("cwd")
  for (const name in env) {
    if (hasNul(name) || hasNul(env[name] ?? "")) return nulByte("env")
  }
  return undefined
}

/** The same for spawners and tools that take text: they cannot enter a folder whose name is not UTF-8. */
export const refusalOfText = (spec: SpawnSpec): SpawnError | undefined =>
  NativePath.isText(spec.cwd)
    ? refusal(spec)
    : new SpawnError({
        reason: "InvalidArgument",
        message: `this spawner cannot enter \`${NativePath.toText(spec.cwd)}\`: the name is not UTF-8`,
      })

const hasNul = (text: string): boolean => text.includes("\0")
