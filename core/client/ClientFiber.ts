/** Fibers that end with the client, and those who wait for them. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { disconnected } from "./ClientConnection.ts"
import type { ClientError } from "./ClientError.ts"

/** The error of calls that wait when their client is closed. */
export const closed = disconnected("the client was closed")

/**
 * The outcome of a fiber of the client. Its interruption is the end of the client, and fails: who waits was not
 * interrupted.
 */
export const outcome = <A>(fiber: Fiber.Fiber<A, ClientError>): Effect.Effect<A, ClientError> =>
  Effect.flatMap(Fiber.await(fiber), (exit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.fail(closed) : exit,
  )
