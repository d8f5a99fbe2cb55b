/**
 * Watches of a directory that others change, too. A message of the engine wakes them at once; as a message may be lost
 * with its connection, each look at what has expired wakes them as well if there is something new. While the engine
 * is away they wait.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Change } from "../../../core/directory/Directory.ts"
import type { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import * as Abandon from "../../../core/protocol/Abandon.ts"

export interface Engine {
  /** Looks for expired entries: the version of the last change. */
  readonly sweep: Effect.Effect<number, DirectoryError>
  /** The changes since a version, and the version of the last one. */
  readonly changes: (
    since: number,
  ) => Effect.Effect<{ readonly version: number; readonly changes: ReadonlyArray<Change> }, DirectoryError>
  /** Calls `hear` for each change, as long as the connection lasts. */
  readonly listen: (hear: () => void) => Effect.Effect<void, unknown>
  /** The pause between two looks. */
  readonly tickMillis: number
}

/** Longest pause between two attempts while the engine is away. */
const mostPauseMillis = 5_000

/** Starts to look and to listen, until the scope ends. */
export const make = (
  engine: Engine,
): Effect.Effect<Stream.Stream<Change, DirectoryError>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let news = yield* Deferred.make<void>()
    let version = 0
    const wake = () => {
      const told = news
      news = Deferred.makeUnsafe<void>()
      Deferred.doneUnsafe(told, Effect.void)
    }
    const listening = engine.listen(wake).pipe(
      Abandon.abandonable,
      Effect.catchCause(() => Effect.void),
      Effect.andThen(pause(engine.tickMillis)),
    )
    const look = Effect.map(engine.sweep, (last) => {
      if (last === version) return
      version = last
      wake()
    })
    const looking = Effect.andThen(pause(engine.tickMillis), Effect.ignore(look))
    yield* Effect.forkScoped(Effect.forever(listening))
    yield* Effect.forkScoped(Effect.forever(looking))
    const later = (since: number) =>
      Effect.gen(function* () {
        for (;;) {
          const awaited = Deferred.await(news)
          const found = yield* patiently(engine.changes(since), engine.tickMillis)
          if (found.version > since) return found
          yield* awaited
        }
      })
    return Stream.paginate(0, (since) =>
      Effect.map(later(since), (found) => [found.changes, Option.some(found.version)] as const),
    )
  })

/** About so long: many who wait together do not come back together. */
const pause = (millis: number): Effect.Effect<void> =>
  Effect.flatMap(Random.nextBetween(0.75, 1.25), (factor) => Effect.sleep(millis * factor))

/** Tries until the engine is back. An attempt that can never work fails. */
const patiently = <A>(
  effect: Effect.Effect<A, DirectoryError>,
  millis: number,
): Effect.Effect<A, DirectoryError> =>
  Effect.retry(effect, {
    while: ({ reason }) => reason === "Unavailable",
    schedule: Schedule.jittered(
      Schedule.min([Schedule.exponential(millis), Schedule.spaced(mostPauseMillis)]),
    ),
  })
