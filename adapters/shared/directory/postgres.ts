/**
 * A directory of hosts and sessions in PostgreSQL. It needs the package `@effect/sql-pg`, which npm does not install
 * with procwire.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Directory } from "../../core/directory/index.ts"
 * import { PostgresDirectory } from "../../adapters/shared/directory/postgres.ts"
 *
 * const program = Effect.flatMap(Directory.Directory, (directory) => directory.list())
 * const layer = PostgresDirectory.layer({ url: "postgres://procwire@db.internal/fleet" })
 * const { hosts } = await Effect.runPromise(Effect.provide(program, layer))
 * ```
 *
 * @module
 */
export * as PostgresDirectory from "./PostgresDirectory.ts"
