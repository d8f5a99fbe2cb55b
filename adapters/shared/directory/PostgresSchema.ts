/**
 * The schema of a directory: made or brought to its version by the migrator of `@effect/sql`, and checked. Several may
 * do so at the same time. Who may not change a schema can use one that has its version already.
 */
import * as Effect from "effect/Effect"
import { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import { decisions } from "./PostgresDecisions.ts"
import type { PostgresPackages } from "./PostgresPackages.ts"
import { tablesAndParts } from "./PostgresTables.ts"

/** Each version: its name, and what makes it of the one before. They never change once they are published. */
const versions: ReadonlyArray<readonly [name: string, statements: ReadonlyArray<string>]> = [
  ["directory", [...tablesAndParts, ...decisions]],
]

/** The version that this program knows. */
export const version = versions.length

/** A client of the library. */
type Client = Effect.Effect.Success<ReturnType<PostgresPackages["PgClient"]["make"]>>

/** Makes or updates the schema. Fails with `WrongVersion` if it is of a later version than this program. */
export const prepare = (sql: Client, { Migrator, SqlClient }: PostgresPackages, schema: string) =>
  Effect.gen(function* () {
    const table = `${schema}.migrations`
    const found = yield* present(sql, table)
    if (found > version) return yield* Effect.fail(tooNew(schema, found))
    if (found === version) return
    yield* sql.withTransaction(
      Effect.zipRight(
        sql`select pg_advisory_xact_lock(hashtext(${table}))`,
        sql.unsafe(
          `create schema if not exists ${schema}; create table if not exists ${table} (` +
            "migration_id integer primary key, created_at timestamptz not null default now(), name text not null)",
        ),
      ),
    )
    const loader = Effect.succeed(
      versions.map(([name, statements], index) => {
        const all = [`set local search_path = ${schema}, pg_temp`, ...statements]
        const run = Effect.forEach(all, (text) => sql.unsafe(text.replaceAll("$schema", schema)), {
          discard: true,
        })
        return [index + 1, name, Effect.succeed(run)] as const
      }),
    )
    const migrate = Migrator.make({})({ loader, table })
    yield* Effect.provideService(migrate, SqlClient.SqlClient, sql)
  })

/** The version that is there; 0 if there is none. */
const present = (sql: Client, table: string) =>
  Effect.gen(function* () {
    const [there] = yield* sql<{ found: string | null }>`select to_regclass(${table})::text as found`
    if (there === undefined || there.found === null) return 0
    const [last] = yield* sql.unsafe<{ last: number | null }>(
      `select max(migration_id) as last from ${table}`,
    )
    return last?.last ?? 0
  })

const tooNew = (schema: string, found: number): DirectoryError =>
  new DirectoryError({
    reason: "WrongVersion",
    message: `the schema ${schema} has version ${found}, and this program knows versions up to ${version}: update it`,
  })
