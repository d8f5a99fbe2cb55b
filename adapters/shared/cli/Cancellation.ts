/**
 * How `procwire run` is cancelled by signals.
 *
 * The first one goes to the command, whose traps run; the second kills it; the third ends the wait. While there is no
 * command yet, or no connection to it, the first one ends the wait: nobody could answer it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Fork from "../../../core/protocol/Fork.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import * as ForwardedSignals from "./ForwardedSignals.ts"

/** How long a command has after SIGINT in place of a signal that its server does not know; then it is killed. */
export const graceSeconds = 5

/** How long the exit of a killed command is waited for. */
const killMillis = 2000

export interface Cancellation {
  /** Completes with the exit code when the command is not waited for any longer. */
  readonly aborted: Effect.Effect<number>
  /** Signals are for the command from now on; `started` says which it is. */
  readonly starting: () => void
  /** `known`: the server sends every signal. */
  readonly started: (child: RemoteProcess, known: boolean) => void
  /** Whether the connection is lost, and may come back. */
  readonly setCut: (cut: boolean) => void
  /** Whether `aborted` has completed. */
  readonly isAborted: () => boolean
  /** Whether the connection is lost. */
  readonly isCut: () => boolean
  /** The first signal. */
  readonly first: () => ForwardedSignals.Name | undefined
  /** Takes a signal, or Ctrl-C as a key. */
  readonly take: (name: ForwardedSignals.Name) => void
}

interface Started {
  readonly child: RemoteProcess
  readonly known: boolean
}

/** Takes the signals of this process until the scope closes. */
export const make: Effect.Effect<Cancellation, never, Scope.Scope> = Effect.gen(function* () {
  const fork = yield* Fork.inScope
  const aborted = yield* Deferred.make<number>()
  const command = yield* Deferred.make<Started>()
  let phase: "connecting" | "starting" = "connecting"
  let cut = false
  let first: ForwardedSignals.Name | undefined
  let count = 0

  let over = false
  const abort = (name: ForwardedSignals.Name) =>
    Effect.suspend(() => {
      over = true
      return Deferred.succeed(aborted, ForwardedSignals.exitCode(name))
    })

  const forward = (name: ForwardedSignals.Name) =>
    Effect.gen(function* () {
      const { child, known } = yield* Deferred.await(command)
      yield* ForwardedSignals.send(child, name, known)
      if (known || name === "SIGINT") return
      yield* Effect.sleep(`${graceSeconds} seconds`)
      yield* child.terminate
    })

  const kill = (name: ForwardedSignals.Name) =>
    Effect.gen(function* () {
      const { child } = yield* Deferred.await(command)
      yield* child.terminate
      yield* Effect.never
    }).pipe(Effect.timeoutOption(killMillis), Effect.zipRight(abort(name)))

  const take = (name: ForwardedSignals.Name) => {
    count += 1
    first ??= name
    if (phase === "connecting" || cut || count > 2) return void fork(abort(name))
    // What could not be sent has not reached the command.
    return void fork(Effect.catchAll(count === 1 ? forward(name) : kill(name), () => abort(name)))
  }

  yield* Effect.forkScoped(
    Stream.runForEach(ForwardedSignals.received, (name) => Effect.sync(() => take(name))),
  )
  return {
    aborted: Deferred.await(aborted),
    starting: () => void (phase = "starting"),
    started: (child, known) => Deferred.unsafeDone(command, Effect.succeed({ child, known })),
    setCut: (now) => void (cut = now),
    isAborted: () => over,
    isCut: () => cut,
    first: () => first,
    take,
  }
})
