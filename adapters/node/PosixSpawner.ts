/**
 * The spawner of Node on Linux: `posix_spawn` for children on pipes and on PTYs alike.
 *
 * A child leads its own session and group, sees descriptors 0, 1 and 2 and nothing else, ignores and
 * blocks no signal, and its exit is told exactly, deaths by real-time signals included.
 */
import * as Effect from "effect/Effect"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import * as SpawnError from "../../core/spawn/SpawnError.ts"
import * as OsError from "../shared/OsError.ts"
import { Errno } from "../shared/ProgramPath.ts"
import type { RunningChild } from "../shared/RunningChild.ts"
import * as SpecCheck from "../shared/SpecCheck.ts"
import type { Host } from "./Launch.ts"
import * as PipeChild from "./PipeChild.ts"

export const make = (host: Host): Spawner.SpawnerService => ({
  capabilities: {
    pty: false,
    resize: false,
    arg0: true,
    processGroup: true,
    pipeStdin: true,
    pause: true,
  },
  spawn: (spec, events) =>
    Effect.acquireRelease(
      Effect.suspend(() => start(host, spec, events)),
      (child) => Effect.sync(child.close),
    ).pipe(Effect.map((child) => child.handle)),
})

const start = (
  host: Host,
  spec: Spawner.SpawnSpec,
  events: Spawner.SpawnEvents,
): Effect.Effect<RunningChild, SpawnError.SpawnError> => {
  const refusal = SpecCheck.refusal(spec)
  if (refusal !== undefined) return Effect.fail(refusal)
  if (spec.stdio.kind === "pty") {
    return Effect.fail(new SpawnError.SpawnError({ reason: "Unsupported", message: "no PTY on this host" }))
  }
  const child = PipeChild.start(host, spec, spec.stdio.stdin, events)
  return child instanceof Errno ? Effect.fail(OsError.fromErrno(child.errno)) : Effect.succeed(child)
}
