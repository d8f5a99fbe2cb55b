/** How long a call waits for a session: its deadlines, and the events that end a wait early. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Session } from "./Session.ts"

/** How long a new command may take to exit before its yield time begins, in milliseconds. */
export const earlyExitMillis = 150

/** How long a program in a terminal may take to respond to input before the yield time begins, in milliseconds. */
export const afterWriteMillis = 100

/** How long to wait for more output after the exit, in milliseconds: a descendant may hold the pipe for ever. */
export const afterExitMillis = 50

/** Bounds of the yield time in milliseconds, and (`usual`) the default of `exec_command`. */
export const yieldMillis = { least: 250, most: 30_000, usual: 10_000 }
/** Bounds of the yield time of `write_stdin` without characters, in milliseconds. */
export const pollMillis = { least: 5_000, most: 300_000 }

/** A yield time within its bounds. */
export const clamp = (asked: number, { least, most }: { readonly least: number; readonly most: number }) =>
  // Arguments from 2^53 on are bigint.
  Math.min(Math.max(Number(asked), least), Math.max(least, most))

/** Waits until the process has exited, for at most `millis`. */
export const untilExit = (session: Session, millis: number): Effect.Effect<void> =>
  Effect.asVoid(Effect.timeoutOption(session.exited.await, millis))

/**
 * Waits until the process has exited and its output is complete, or is late by `afterExitMillis`; at most `millis`.
 */
export const untilEnd = (session: Session, millis: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    yield* untilExit(session, millis)
    if (!session.over) return
    const left = start + millis - (yield* Clock.currentTimeMillis)
    yield* Effect.timeoutOption(session.closed.await, Math.max(0, Math.min(left, afterExitMillis)))
  })

/** The result of a fiber, or undefined after `millis`; the fiber goes on. */
export const untilDone = <A>(fiber: Fiber.Fiber<A>, millis: number): Effect.Effect<A | undefined> =>
  Effect.map(Effect.timeoutOption(Fiber.join(fiber), millis), Option.getOrUndefined)
