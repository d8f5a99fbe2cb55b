/**
 * The sessions that a scope owns: their output is read in the background, and the end of the scope kills their
 * commands. What a command that has exited has left in the background is up to `Background`.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Session } from "./Session.ts"

/** Deadline for the kills at the end of the scope. */
const killDeadline = "5 seconds"

export interface OwnedSessions {
  /** True after the end of the scope: nothing may be started. */
  readonly ended: () => boolean
  /** Reads the session's events from now on. */
  readonly follow: (session: Session) => Effect.Effect<void>
  /** Kills the session's process, without waiting for it. */
  readonly kill: (session: Session) => Effect.Effect<void>
  /** Runs an effect in the scope: interrupting the caller does not stop it. */
  readonly background: <A>(effect: Effect.Effect<A>) => Effect.Effect<Fiber.RuntimeFiber<A>>
}

export const make: Effect.Effect<OwnedSessions, never, Scope.Scope> = Effect.gen(function* () {
  const scope = yield* Effect.scope
  /** The sessions whose commands run, whether `write_stdin` still knows them or not. */
  const alive = new Set<Session>()
  const terminate = ({ process }: Session) => Effect.ignore(process.terminate)
  const background = <A>(effect: Effect.Effect<A>) => Effect.forkIn(Effect.interruptible(effect), scope)

  let ended = false

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      ended = true
      return Effect.forEach(alive, terminate, { concurrency: "unbounded", discard: true })
    }).pipe(Effect.interruptible, Effect.timeoutOption(killDeadline)),
  )

  const live = (session: Session) =>
    session.run.pipe(
      Effect.zipRight(Effect.ignore(session.process.exitCode)),
      Effect.zipRight(Effect.sync(() => alive.delete(session))),
    )

  return {
    ended: () => ended,
    background,
    follow: (session) =>
      Effect.suspend(() => {
        if (ended) {
          // The scope ended while the command was being started.
          session.release()
          return terminate(session)
        }
        alive.add(session)
        return Effect.asVoid(background(live(session)))
      }),
    kill: (session) => Effect.asVoid(background(terminate(session))),
  }
})
