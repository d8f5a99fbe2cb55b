/**
 * The packages of PostgreSQL, which are optional: they are loaded when the first directory is made, and their absence
 * is an error with the command that installs them.
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

/** Loads them. Fails with `NotInstalled`. */
export const packages: Effect.Effect<PostgresPackages, DirectoryError> = Effect.tryPromise({
  try: load,
  catch: notInstalled("PostgreSQL", [
    "@effect/sql-pg",
    "@effect/sql",
    "@effect/experimental",
    "@effect/platform",
  ]),
})
