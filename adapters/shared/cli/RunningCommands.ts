/** The commands that run for `procwire mcp`, so that a signal reaches all of them. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import * as ForwardedSignals from "./ForwardedSignals.ts"

export interface RunningCommands {
  /** Adds a command, until it is closed. `known`: its server sends every signal. */
  readonly add: (child: RemoteProcess, known: boolean) => Effect.Effect<void>
  /** Sends a signal to all, and waits until they are closed, but for no longer than so many milliseconds. */
  readonly end: (name: ForwardedSignals.Name, graceMillis: number) => Effect.Effect<void>
}

/** No commands yet. */
export const make: Effect.Effect<RunningCommands, never, Scope.Scope> = Effect.gen(function* () {
  const fork = yield* FiberSet.makeRuntime<never>()
  const commands = new Map<RemoteProcess, boolean>()

  const endAll = (name: ForwardedSignals.Name) =>
    Effect.forEach(
      [...commands],
      ([child, known]) =>
        Effect.ignore(Effect.zipRight(ForwardedSignals.send(child, name, known), child.closed)),
      { concurrency: "unbounded", discard: true },
    )

  return {
    add: (child, known) =>
      Effect.sync(() => {
        commands.set(child, known)
        const forget = Effect.sync(() => commands.delete(child))
        fork(Effect.ensuring(Effect.ignore(child.closed), forget))
      }),
    end: (name, graceMillis) =>
      Effect.suspend(() => endAll(name)).pipe(
        Effect.disconnect,
        Effect.timeoutOption(graceMillis),
        Effect.asVoid,
      ),
  }
})
