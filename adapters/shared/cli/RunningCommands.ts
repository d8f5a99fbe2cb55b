/** The commands that run for `procwire mcp`, so that a signal reaches all of them, also those that are starting. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Fork from "../../../core/protocol/Fork.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import * as ForwardedSignals from "./ForwardedSignals.ts"

export interface RunningCommands {
  /** Starts a command, which counts from now until it is closed. `known`: its server sends every signal. */
  readonly start: <A extends { readonly process: RemoteProcess }, E>(
    starting: Effect.Effect<A, E>,
    known: boolean,
  ) => Effect.Effect<A, E>
  /** Sends a signal to all, and waits until they are closed, but for no longer than so many milliseconds. */
  readonly end: (name: ForwardedSignals.Name, graceMillis: number) => Effect.Effect<void>
}

interface Command {
  /** Undefined if the start has failed. */
  readonly started: Deferred.Deferred<RemoteProcess | undefined>
  readonly known: boolean
}

/** No commands yet. */
export const make: Effect.Effect<RunningCommands, never, Scope.Scope> = Effect.gen(function* () {
  const fork = yield* Fork.inScope
  const commands = new Set<Command>()

  const start: RunningCommands["start"] = (starting, known) =>
    Effect.gen(function* () {
      const command: Command = { started: yield* Deferred.make<RemoteProcess | undefined>(), known }
      commands.add(command)
      return yield* Effect.onExit(starting, (exit) => {
        const process = Exit.isSuccess(exit) ? exit.value.process : undefined
        const forget = Effect.sync(() => commands.delete(command))
        const closed = process === undefined ? Effect.void : Effect.ignore(process.closed)
        return Effect.sync(() => {
          Deferred.unsafeDone(command.started, Effect.succeed(process))
          fork(Effect.ensuring(closed, forget))
        })
      })
    })

  const end = (name: ForwardedSignals.Name, { started, known }: Command) =>
    Effect.gen(function* () {
      const process = yield* Deferred.await(started)
      if (process === undefined) return
      yield* ForwardedSignals.send(process, name, known)
      yield* process.closed
    }).pipe(Effect.ignore)

  return {
    start,
    end: (name, graceMillis) =>
      Effect.suspend(() =>
        Effect.forEach([...commands], (command) => end(name, command), { concurrency: "unbounded" }),
      ).pipe(Effect.disconnect, Effect.timeoutOption(graceMillis), Effect.asVoid),
  }
})
