/** How long a call waits for a session: the deadlines, and what ends a wait before them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Session } from "./Session.ts"

/** What a start is given to end at once, before its time is counted, in milliseconds. */
export const earlyExitMillis = 150

/** What a program in a terminal is given to answer, before the time of a call is counted. */
export const afterWriteMillis = 100

/** How long the output of a process that has exited is waited for: a descendant may hold its pipe for ever. */
export const afterExitMillis = 50

/** Bounds of the yield time, and of that of a call that only waits. */
export const yieldMillis = { least: 250, most: 30_000, usual: 10_000 }
export const pollMillis = { least: 5_000, most: 300_000 }

/** A yield time within its bounds. */
export const clamp = (asked: number, { least, most }: { readonly least: number; readonly most: number }) =>
  // Arguments beyond 2^53 come as bigint.
  Math.min(Math.max(Number(asked), least), Math.max(least, most))

/** Waits until the process has exited, at most so long. */
export const untilExit = (session: Session, millis: number): Effect.Effect<void> =>
  Effect.asVoid(Effect.timeoutOption(session.exited.await, millis))

/** Waits until the process has exited and its output has ended, or a descendant seems to hold it; at most so long. */
export const untilEnd = (session: Session, millis: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    yield* untilExit(session, millis)
    if (!session.over) return
    const left = start + millis - (yield* Clock.currentTimeMillis)
    yield* Effect.timeoutOption(session.closed.await, Math.max(0, Math.min(left, afterExitMillis)))
  })

/** The result of a fiber, or undefined if it takes longer than so long; the fiber goes on. */
export const untilDone = <A>(fiber: Fiber.Fiber<A>, millis: number): Effect.Effect<A | undefined> =>
  Effect.map(Effect.timeoutOption(Fiber.join(fiber), millis), Option.getOrUndefined)
