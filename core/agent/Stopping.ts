/**
 * Ends commands: SIGTERM, and SIGKILL of what is left after a grace. The server keeps the time where it can; where it
 * cannot, the tools do, and the command is killed at once if it knows no SIGTERM either.
 */
import * as Effect from "effect/Effect"
import type { Server } from "./ExecBackend.ts"
import type { Commands, Stopping } from "./Commands.ts"
import type { OwnedSessions } from "./OwnedSessions.ts"
import type { Session } from "./Session.ts"

/** The grace in milliseconds: the default, and the longest. */
export const graceMillis = { usual: 5_000, most: 60_000 }

export interface Stopper {
  /** Asks a command to end, in the background. One that is over is left alone. */
  readonly stop: (session: Session, why: Stopping, grace?: number) => Effect.Effect<void>
  /** Stops it after so many milliseconds, unless another deadline is set. */
  readonly deadline: (session: Session, millis: number) => Effect.Effect<void>
}

export const make = ({ background }: OwnedSessions, commands: Commands, server: Server = {}): Stopper => {
  const deadlines = new WeakMap<Session, object>()

  const ask = ({ process, exited }: Session, grace: number) => {
    if (server.processDeadlines === true) return process.end({ graceMs: grace })
    if (server.processSignals !== true) return process.terminate
    const killed = Effect.zipRight(Effect.timeoutOption(exited.await, grace), process.terminate)
    return Effect.zipRight(process.signal("terminate"), killed)
  }

  const stop: Stopper["stop"] = (session, why, grace = graceMillis.usual) =>
    Effect.suspend(() => {
      if (session.over) return Effect.void
      const known = commands.get(session.id)
      if (known !== undefined) known.stopping ??= why
      return Effect.asVoid(background(Effect.ignore(ask(session, grace))))
    })

  const deadline: Stopper["deadline"] = (session, millis) =>
    Effect.suspend(() => {
      const own = {}
      deadlines.set(session, own)
      const late = Effect.suspend(() =>
        deadlines.get(session) === own ? stop(session, "timeout") : Effect.void,
      )
      const passed = Effect.timeoutOption(session.exited.await, millis)
      return Effect.asVoid(background(Effect.zipRight(passed, late)))
    })

  return { stop, deadline }
}
