/** The requests of the tests of a directory, as promises. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { expect } from "vitest"
import type { Change, DirectoryService } from "../../../../core/directory/Directory.ts"
import type { DirectoryError } from "../../../../core/directory/DirectoryError.ts"

export const hour = 3_600_000

/** Nothing expires unless a test says so. */
export const patient = {
  leaseMillis: hour,
  goneMillis: 2 * hour,
  claimMillis: hour,
  tickMillis: 50,
  deadlineMillis: 60_000,
}

export const ask = <A>(effect: Effect.Effect<A, DirectoryError>): Promise<A> => Effect.runPromise(effect)

export const refusal = (effect: Effect.Effect<unknown, DirectoryError>): Promise<DirectoryError> =>
  Effect.runPromise(Effect.flip(effect))

/** Asks until it is no longer `Unavailable`. */
export const atLast = async <A>(effect: Effect.Effect<A, DirectoryError>): Promise<A> => {
  for (;;) {
    const got = await Effect.runPromise(Effect.result(effect))
    if (got._tag === "Success") return got.success
    expect(got.failure.reason).toBe("Unavailable")
    await Effect.runPromise(Effect.sleep(20))
  }
}

/** The first change that this is true of, by a watch that begins now. */
export const until = (directory: DirectoryService, isThis: (change: Change) => boolean) =>
  Effect.runPromise(Stream.runHead(Stream.filter(directory.watch, isThis)))

export const tellsOf = (sessionId: string) => (change: Change) =>
  change.kind === "session" && change.session.sessionId === sessionId

export const host = (hostId: string) => ({ hostId, epoch: 1, labels: {}, capacity: 1_000 })
