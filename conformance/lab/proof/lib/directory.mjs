// @ts-check
// The directory of a fleet, as a proof looks at it: by a connection of its own.
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { root } from "../../../../.ci/setup.mjs"

/** @import { HostRecord, SessionRecord } from "../../../../core/directory/Directory.ts" */

/** Opens the directory at an address. */
export const open = async (/** @type {string} */ url) => {
  /** @type {typeof import("../../../../adapters/shared/directory/postgres.ts")} */
  const { PostgresDirectory } = await import(join(root, "dist/adapters/shared/directory/postgres.js"))
  const scope = Effect.runSync(Scope.make())
  const client = Effect.provide(
    PgClient.make({ url: Redacted.make(url), maxConnections: 1 }),
    Reactivity.layer,
  )
  const sql = await Effect.runPromise(Scope.extend(client, scope))
  const directory = await Effect.runPromise(Scope.extend(PostgresDirectory.make({ url }), scope))
  /** All that there is. */
  const list = async () => {
    /** @type {SessionRecord[]} */
    const sessions = []
    /** @type {readonly HostRecord[]} */
    let hosts = []
    /** @type {string | undefined} */
    let after
    do {
      const part = await Effect.runPromise(directory.list({ after }))
      sessions.push(...part.sessions)
      hosts = part.hosts
      after = part.next
    } while (after !== undefined)
    return { hosts, sessions }
  }
  return {
    list,
    host: async (/** @type {string} */ hostId) =>
      (await list()).hosts.find((/** @type {HostRecord} */ each) => each.hostId === hostId),
    /** What has become of a session, by its name in the directory. */
    lookup: async (/** @type {string} */ key) => (await Effect.runPromise(directory.lookup(key))).session,
    /** How many statements have been carried out in it. */
    statements: async () => {
      const asked = sql`select xact_commit from pg_stat_database where datname = current_database()`
      return Number((await Effect.runPromise(asked))[0]?.["xact_commit"])
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}
