/**
 * A directory in PostgreSQL, for as many hosts and routers as one likes. Each operation is one call of a function of
 * the database, with a deadline; one without an answer in time fails with `Unavailable`, and works again when it is
 * back. Time is that of the database.
 *
 * It needs the package `@effect/sql-pg`, loaded when the first directory is made.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { checked } from "../../../core/directory/Checked.ts"
import { Directory, type DirectoryService } from "../../../core/directory/Directory.ts"
import { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import { resolve, type DirectoryOptions } from "../../../core/directory/DirectoryOptions.ts"
import * as PostgresCalls from "./PostgresCalls.ts"
import { loaded } from "./PostgresPackages.ts"
import * as PostgresSchema from "./PostgresSchema.ts"
import * as PostgresUrl from "./PostgresUrl.ts"
import * as Watching from "./Watching.ts"

export interface PostgresOptions extends DirectoryOptions {
  /**
   * `postgres://user:password@host:5432/database`; a folder of a Unix socket as host is written with `%2F`. Without a
   * host it is the socket of this machine, without a user the one who runs this program.
   */
  readonly url: string | Redacted.Redacted
  /** The schema that has it, made if it is not there: `procwire_directory`. Lower-case letters, digits and `_`. */
  readonly schema?: string
  /** Connections at most, from 1 to 1,000, beside one that listens: 8. */
  readonly connections?: number
}

/** Connects, and makes or updates the schema. Fails with `Unavailable`, `WrongVersion` and `NotInstalled`. */
export const make = (
  options: PostgresOptions,
): Effect.Effect<DirectoryService, DirectoryError, Scope.Scope> =>
  Effect.gen(function* () {
    const { url, schema = "procwire_directory", connections = 8, ...patience } = options
    const settings = resolve(patience)
    if (!/^[a-z_][a-z0-9_]{0,47}$/.test(schema))
      throw new RangeError(`schema must be up to 48 lower-case letters, digits and _: ${schema}`)
    if (!Number.isSafeInteger(connections) || connections < 1 || connections > 1_000)
      throw new RangeError(`connections must be a whole number from 1 to 1000, and is ${connections}`)
    const { PgClient, layer, Redacted: secrets } = yield* loaded
    const client = layer({
      url: secrets.make(PostgresUrl.complete(typeof url === "string" ? url : Redacted.value(url))),
      maxConnections: connections + 1,
      connectTimeout: settings.deadlineMillis,
      applicationName: "procwire",
    })
    const sql = yield* Layer.build(client).pipe(
      Effect.mapBoth({ onFailure: PostgresCalls.unavailable, onSuccess: Context.get(PgClient) }),
    )
    const prepare = PostgresSchema.prepare(sql, schema)
    yield* Effect.mapError(prepare, (error) =>
      error instanceof DirectoryError ? error : PostgresCalls.unavailable(error),
    )
    const call = PostgresCalls.make(sql, schema, settings.deadlineMillis)
    const watching = yield* Watching.make({
      sweep: PostgresCalls.sweep(call, settings),
      changes: (since) => PostgresCalls.changes(call, since),
      listen: (hear) => listen(sql, schema, hear),
      tickMillis: settings.tickMillis,
    })
    return checked({ ...PostgresCalls.operations(call, settings), watch: watching })
  })

/** The same as a layer. */
export const layer = (options: PostgresOptions): Layer.Layer<Directory, DirectoryError> =>
  Layer.effect(Directory, make(options))

/** Listens to a channel: calls `hear` for each message, and once when it begins. Fails when the connection is lost. */
const listen = (sql: PgClient, channel: string, hear: () => void): Effect.Effect<never, SqlError> =>
  Effect.scoped(
    Effect.flatMap(sql.listen(channel), (messages) => {
      hear()
      return Effect.forever(Effect.map(Queue.takeAll(messages), hear))
    }),
  )
