/**
 * Listens to a channel by a connection of the pool that is kept for it. `listen` of `@effect/sql-pg` neither ends when
 * its connection is lost nor hears every error of it, and an error that nobody hears ends the program.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The events of a connection. */
interface Events {
  readonly on: (name: "notification" | "error" | "end", listener: () => void) => unknown
}

/** The used part of the client of the library, and of its connections. */
interface Client {
  readonly reserve: Effect.Effect<
    {
      readonly executeUnprepared: (
        text: string,
        values: ReadonlyArray<never>,
        transform: undefined,
      ) => Effect.Effect<unknown, unknown>
    },
    unknown,
    Scope.Scope
  >
}

/** Calls `hear` for each message, and once when it begins. Ends when the connection is lost. */
export const listen = (sql: Client, channel: string, hear: () => void): Effect.Effect<void, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* sql.reserve
      const { pg } = connection as { readonly pg?: Events }
      // Without its events nothing is heard: then each look at what has expired tells of changes.
      if (pg === undefined) return yield* Effect.never
      const lost = Effect.async<void>((resume) => {
        for (const name of ["error", "end"] as const) pg.on(name, () => resume(Effect.void))
        pg.on("notification", hear)
      })
      const begin = connection.executeUnprepared(`listen ${channel}`, [], undefined)
      yield* Effect.raceFirst(
        lost,
        Effect.zipRight(
          Effect.tap(begin, () => Effect.sync(hear)),
          Effect.never,
        ),
      )
    }),
  )
