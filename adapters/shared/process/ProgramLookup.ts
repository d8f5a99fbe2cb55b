/**
 * Finds the program of a spec before it is started, for spawners that start another program first (a sandbox) or that
 * do not report why a start failed. Fails with the reasons and texts of a spawner.
 */
import { accessSync, constants, statSync } from "node:fs"
import { constants as os } from "node:os"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as NativePath from "../../../core/protocol/NativePath.ts"
import type { SpawnError } from "../../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import * as OsError from "../host/OsError.ts"
import * as ProgramPath from "./ProgramPath.ts"
import * as SpecCheck from "../../../core/spawn/SpecCheck.ts"

/** The path of the program: absolute, or relative to the child's directory, and always with a slash. */
export const find = (spec: Spawner.SpawnSpec): Effect.Effect<string, SpawnError> =>
  Effect.suspend(() => {
    const refusal = SpecCheck.refusal(spec)
    if (refusal !== undefined) return Effect.fail(refusal)
    const path = ProgramPath.search(spec, access, (name) => executable(spec.cwd, name))
    if (path instanceof ProgramPath.Errno) return Effect.fail(ProgramPath.toSpawnError(path))
    return Effect.succeed(path.includes("/") ? path : `./${path}`)
  })

/** Asks the operating system. */
export const access: ProgramPath.Access = (path) => {
  try {
    accessSync(native(path), constants.X_OK)
    return 0
  } catch (error) {
    return OsError.errnoOf(error)
  }
}

/** The path as `node:fs` takes it. */
const native = (path: string): string | Buffer =>
  NativePath.isText(path) ? path : Buffer.from(NativePath.toBytes(path))

/** `name` itself if that file may be executed. */
const executable = (cwd: string, name: string): string | ProgramPath.Errno => {
  const path = resolve(cwd, name)
  const errno = access(path) || (statSync(native(path)).isDirectory() ? os.errno.EACCES : 0)
  return errno === 0 ? name : new ProgramPath.Errno(errno)
}
