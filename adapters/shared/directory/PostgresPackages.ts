/**
 * The packages of PostgreSQL, which are optional: they are loaded when the first directory is made, and their absence
 * is an error with the command that installs them. That names versions: the latest ones are for another Effect.
 */
import * as Effect from "effect/Effect"
import type { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import { notInstalled } from "./NotInstalled.ts"

const load = async () => {
  const [PgClient, Migrator, SqlClient, Reactivity] = await Promise.all([
    import("@effect/sql-pg/PgClient"),
    import("@effect/sql/Migrator"),
    import("@effect/sql/SqlClient"),
    import("@effect/experimental/Reactivity"),
  ])
  return { PgClient, Migrator, SqlClient, Reactivity }
}

/** All of them. */
export type PostgresPackages = Awaited<ReturnType<typeof load>>

/** The command that installs them. */
export const wanted: ReadonlyArray<string> = [
  "@effect/sql-pg@0.53",
  "@effect/sql@0.52",
  "@effect/experimental@0.61",
  "@effect/platform@0.97",
]

/** The error where they are absent, or others. */
export const lacking = notInstalled("PostgreSQL", wanted)

/** Loads them. Fails with `NotInstalled`. */
export const packages: Effect.Effect<PostgresPackages, DirectoryError> = Effect.tryPromise({
  try: load,
  catch: lacking,
})
