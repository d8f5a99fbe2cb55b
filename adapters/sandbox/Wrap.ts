/**
 * A sandbox that is a command: every child is started as `bwrap ARGS -- PROGRAM ARGS`, or whatever `wrap`
 * makes of the spec, by the spawner below.
 *
 * A command that fails to start its program has started itself, so the program is looked for before: what
 * cannot be started is refused with the same reasons and texts as without the sandbox. This supposes that
 * the sandbox sees the same programs. `argv[0]` is the command's, so there is no `arg0`; the command has to
 * `exec` the program in its own process, as `nice`, `env`, `setpriv` and `unshare` do, or to stay in its group.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Spawner from "../../core/spawn/Spawner.ts"
import * as ProgramLookup from "../shared/process/ProgramLookup.ts"

/** Wraps every command of the spawner below. The spec that `wrap` gets names its program by a path. */
export const layerWrap = (
  wrap: (spec: Spawner.SpawnSpec) => Spawner.SpawnSpec,
): Layer.Layer<Spawner.Spawner, never, Spawner.Spawner> =>
  Layer.effect(
    Spawner.Spawner,
    Effect.map(Spawner.Spawner, (inner) => ({
      capabilities: { ...inner.capabilities, arg0: false },
      spawn: (spec, events) =>
        Effect.flatMap(ProgramLookup.find(spec), (program) =>
          inner.spawn(wrap({ ...spec, argv: [program, ...spec.argv.slice(1)] }), events),
        ),
    })),
  )
