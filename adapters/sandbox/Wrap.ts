/**
 * A sandbox that is a command: every child is started as `bwrap ARGS -- PROGRAM ARGS`, or whatever `wrap`
 * makes of the spec, by the spawner below.
 *
 * A command that fails to start its program has started itself, so the program is looked for before: what
 * cannot be started is refused with the same reasons and texts as without the sandbox. This supposes that
 * the sandbox sees the same programs. `argv[0]` is the command's, so there is no `arg0`; the command has to
 * `exec` the program in its own process, as `nice`, `env`, `setpriv` and `unshare` do, or to stay in its group.
 */
import { accessSync, constants, statSync } from "node:fs"
import { constants as os } from "node:os"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Spawner from "../../core/spawn/Spawner.ts"
import * as OsError from "../shared/OsError.ts"
import * as ProgramPath from "../shared/ProgramPath.ts"
import * as SpecCheck from "../shared/SpecCheck.ts"

/** Wraps every command of the spawner below. The spec that `wrap` gets names its program by a path. */
export const layerWrap = (
  wrap: (spec: Spawner.SpawnSpec) => Spawner.SpawnSpec,
): Layer.Layer<Spawner.Spawner, never, Spawner.Spawner> =>
  Layer.effect(
    Spawner.Spawner,
    Effect.map(Spawner.Spawner, (inner) => ({
      capabilities: { ...inner.capabilities, arg0: false },
      spawn: (spec, events) =>
        Effect.suspend(() => {
          const refusal = SpecCheck.refusal(spec)
          if (refusal !== undefined) return Effect.fail(refusal)
          const path = ProgramPath.search(spec, access, (name) => executable(spec.cwd, name))
          if (path instanceof ProgramPath.Errno) return Effect.fail(OsError.fromErrno(path.errno))
          const program = path.includes("/") ? path : `./${path}`
          return inner.spawn(wrap({ ...spec, argv: [program, ...spec.argv.slice(1)] }), events)
        }),
    })),
  )

const access: ProgramPath.Access = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return 0
  } catch (error) {
    return OsError.errnoOf(error)
  }
}

/** The name again, if it is one of a file that may be executed. */
const executable = (cwd: string, name: string): string | ProgramPath.Errno => {
  const path = resolve(cwd, name)
  const errno = access(path) || (statSync(path).isDirectory() ? os.errno.EACCES : 0)
  return errno === 0 ? name : new ProgramPath.Errno(errno)
}
