/** Finds out whether bubblewrap works on this machine, by confining a program that does nothing. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SpawnError } from "../../../core/spawn/SpawnError.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"

type Wrap = (
  argv: readonly [string, ...ReadonlyArray<string>],
  rest: Omit<Spawner.SpawnSpec, "argv">,
) => Effect.Effect<Spawner.SpawnSpec, SpawnError, Scope.Scope>

const longest = "10 seconds"

/** The failure; `undefined` if it works. */
export const run = (
  spawner: Spawner.SpawnerService,
  wrap: Wrap,
): Effect.Effect<string | undefined, SpawnError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const status = yield* Deferred.make<Spawner.ExitStatus>()
      const ended = yield* Deferred.make<void>()
      let text = ""
      const rest = { cwd: "/", env: {}, stdio: { kind: "pipe", stdin: false } } as const
      yield* spawner.spawn(yield* wrap(["/bin/sh", "-c", ":"], rest), {
        output: (_, bytes) => {
          text += new TextDecoder().decode(bytes)
        },
        end: (stream) => {
          if (stream === "stderr") Deferred.doneUnsafe(ended, Effect.void)
        },
        exit: (exit) => Deferred.doneUnsafe(status, Effect.succeed(exit)),
      })
      yield* Deferred.await(ended)
      const exit = yield* Deferred.await(status)
      if (exit.kind === "exited" && exit.code === 0) return undefined
      return (
        text.trim() ||
        `it fails with ${exit.kind === "exited" ? `code ${exit.code}` : `signal ${exit.signal}`}`
      )
    }),
  ).pipe(Effect.timeoutOrElse({ duration: longest, orElse: () => Effect.succeed("it does not end") }))
