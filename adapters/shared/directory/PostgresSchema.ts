/**
 * The schema of a directory: made or brought to its version, and checked. Several may do so at the same time. A user
 * who may not change a schema can use one that has its version already.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import { decisions } from "./PostgresDecisions.ts"
import { tablesAndParts } from "./PostgresTables.ts"

/** Each version: its name, and what makes it of the one before. They never change once they are published. */
const versions: ReadonlyArray<readonly [name: string, statements: ReadonlyArray<string>]> = [
  ["directory", [...tablesAndParts, ...decisions]],
]

export const version = versions.length

/** Makes or updates the schema. Fails with `WrongVersion` if it is of a later version than this program. */
export const prepare = (sql: PgClient, schema: string): Effect.Effect<void, DirectoryError | SqlError> =>
  Effect.gen(function* () {
    const table = `${schema}.migrations`
    const found = yield* present(sql, table)
    if (found > version) return yield* Effect.fail(tooNew(schema, found))
    if (found < version) yield* sql.withTransaction(update(sql, schema, table))
  })

/** Only one does so at a time. */
const update = (sql: PgClient, schema: string, table: string) =>
  Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(hashtext(${table}))`
    yield* sql.unsafe(`create schema if not exists ${schema}`)
    yield* sql.unsafe(
      `create table if not exists ${table} (` +
        "migration_id integer primary key, created_at timestamptz not null default now(), name text not null)",
    )
    yield* sql.unsafe(`set local search_path = ${schema}, pg_temp`)
    const before = yield* present(sql, table)
    for (const [index, [name, texts]] of versions.entries()) {
      if (index < before) continue
      // Each statement has a blank line behind it, and none within.
      for (const statement of texts
        .join("\n")
        .trim()
        .split(/\n{2,}/)) {
        yield* sql.unsafe(statement.replaceAll("$schema", schema))
      }
      yield* sql.unsafe(`insert into ${table} (migration_id, name) values ($1, $2)`, [index + 1, name])
    }
  })

/** The version that is there; 0 if there is none. */
const present = (sql: PgClient, table: string) =>
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
