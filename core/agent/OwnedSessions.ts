/**
 * What the sessions of one scope have in common: their output is taken in the background, and no command outlives
 * the scope. What a command has left behind that has itself exited lives as long as the server's session.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Session } from "./Session.ts"

/** How long the end of the scope waits for the server to kill what is left. */
const patience = "5 seconds"

export interface OwnedSessions {
  /** The scope has ended: nothing is to be started any more. */
  readonly ended: () => boolean
  /** Takes the session's output from now on. */
  readonly follow: (session: Session) => Effect.Effect<void>
  /** Kills the session's process, without waiting for it. */
  readonly kill: (session: Session) => Effect.Effect<void>
  /** Runs an effect that an interruption of its caller does not stop. */
  readonly background: <A>(effect: Effect.Effect<A>) => Effect.Effect<Fiber.RuntimeFiber<A>>
}

export const make: Effect.Effect<OwnedSessions, never, Scope.Scope> = Effect.gen(function* () {
  const scope = yield* Effect.scope
  /** Those whose commands run, whether they can still be asked for or not. */
  const alive = new Set<Session>()
  const terminate = ({ process }: Session) => Effect.ignore(process.terminate)
  const background = <A>(effect: Effect.Effect<A>) => Effect.forkIn(Effect.interruptible(effect), scope)

  let ended = false

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      ended = true
      return Effect.forEach(alive, terminate, { concurrency: "unbounded", discard: true })
    }).pipe(Effect.interruptible, Effect.timeoutOption(patience)),
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
          // It was being started when the scope ended.
          session.release()
          return terminate(session)
        }
        alive.add(session)
        return Effect.asVoid(background(live(session)))
      }),
    kill: (session) => Effect.asVoid(background(terminate(session))),
  }
})
