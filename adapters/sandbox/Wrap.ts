/**
 * A sandbox that is a command: the inner spawner starts every child as `nice -n 5 PROGRAM ARGS`, or as whatever `wrap`
 * makes of the spec.
 *
 * If the command cannot start the program, the start of the command has succeeded all the same. So the program is
 * looked up first, and one that cannot be started is refused with the reasons and texts of a spawner. This
 * assumes that the sandbox sees the same programs. There is no `arg0`, because `argv[0]` belongs to the command. The
 * command must `exec` the program in its own process, as `nice`, `env`, `setpriv` and `unshare` do, or stay in its
 * group.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Spawner from "../../core/spawn/Spawner.ts"
import * as SpecCheck from "../../core/spawn/SpecCheck.ts"
import * as ProgramLookup from "../shared/process/ProgramLookup.ts"

/** Restrictions of a wrapper. */
export interface WrapOptions {
  /** Capabilities of the inner spawner that children do not have inside the wrapper: `{ processGroup: false }`. */
  readonly capabilities?: { readonly [name in keyof Spawner.Capabilities]?: false }
}

/**
 * Wraps every command of the inner spawner. `wrap` gets a spec whose program is a path, and returns what to start. The
 * wrapper itself is better named by its path, too: a bare name is looked up in the PATH of the child.
 */
export const layerWrap = (
  wrap: (spec: Spawner.SpawnSpec) => Spawner.SpawnSpec,
  options: WrapOptions = {},
): Layer.Layer<Spawner.Spawner, never, Spawner.Spawner> =>
  Layer.effect(
    Spawner.Spawner,
    Effect.map(Spawner.Spawner, (inner) => ({
      capabilities: { ...inner.capabilities, arg0: false, masks: false, ...options.capabilities },
      spawn: (spec, events) => {
        const refusal = SpecCheck.refusalOfText(spec)
        if (refusal !== undefined) return Effect.fail(refusal)
        return Effect.flatMap(ProgramLookup.find(spec), (program) =>
          inner.spawn(wrap({ ...spec, argv: [program, ...spec.argv.slice(1)] }), events),
        )
      },
    })),
  )

/** A program behind `env`, which sets variables. `env` takes a program with `=` in its path for one, `nice` does not. */
export const behindEnv = (
  argv: Spawner.SpawnSpec["argv"],
  variables: ReadonlyArray<readonly [name: string, value: string]>,
  ...flags: ReadonlyArray<string>
): ReadonlyArray<string> => [
  "/usr/bin/env",
  ...flags,
  ...variables.map(([name, value]) => `${name}=${value}`),
  ...(argv[0].includes("=") ? ["/usr/bin/nice", "-n", "0"] : []),
  ...argv,
]
