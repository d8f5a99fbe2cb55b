/**
 * The spawner of 64-bit Linux: `posix_spawn` for children on pipes and on PTYs alike.
 *
 * A child leads its own session and group, inherits descriptors 0, 1 and 2 only, ignores and blocks no signal, and its
 * exit is reported exactly, also a death by a real-time signal.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import * as SpawnError from "../../../../core/spawn/SpawnError.ts"
import type { RunningChild } from "../RunningChild.ts"
import * as SpecCheck from "../../../../core/spawn/SpecCheck.ts"
import type { Host } from "./Launch.ts"
import * as PipeChild from "./PipeChild.ts"
import * as PtyChild from "./PtyChild.ts"
import type { PtyDevice } from "./PtyDevice.ts"

/** A spawner for this host; without `device` it has no PTYs. */
export const make = (host: Host, device: PtyDevice | undefined): Spawner.SpawnerService => ({
  capabilities: {
    pty: device !== undefined,
    resize: device !== undefined,
    arg0: true,
    processGroup: true,
    pipeStdin: true,
    pause: true,
    confine: false,
  },
  spawn: (spec, events) =>
    Effect.uninterruptible(
      Effect.flatMap(Effect.scope, (scope) =>
        Effect.flatMap(start(host, device, spec, events), ({ close, handle }) =>
          Effect.as(Scope.addFinalizer(scope, Effect.sync(close)), handle),
        ),
      ),
    ),
})

const start = (
  host: Host,
  device: PtyDevice | undefined,
  spec: Spawner.SpawnSpec,
  events: Spawner.SpawnEvents,
): Effect.Effect<RunningChild, SpawnError.SpawnError> => {
  const refusal = SpecCheck.refusal(spec)
  if (refusal !== undefined) return Effect.fail(refusal)
  const child = begin(host, device, spec, events)
  return child instanceof SpawnError.SpawnError ? Effect.fail(child) : Effect.succeed(child)
}

const begin = (
  host: Host,
  device: PtyDevice | undefined,
  spec: Spawner.SpawnSpec,
  events: Spawner.SpawnEvents,
): RunningChild | SpawnError.SpawnError => {
  const { stdio } = spec
  if (stdio.kind === "pipe") return PipeChild.start(host, spec, stdio.stdin, events)
  if (device !== undefined) return PtyChild.start(host, device, spec, stdio.size, events)
  return new SpawnError.SpawnError({ reason: "Unsupported", message: "no PTY on this host" })
}
