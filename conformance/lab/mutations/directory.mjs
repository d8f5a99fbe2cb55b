// @ts-check
// Mutations of directories of hosts and sessions.
import { elsewhere, one } from "./mutation.mjs"

/** @param {string} file @param {string} find @param {string} replace @param {string} says */
const kept = (file, find, replace, says) =>
  elsewhere(
    one(file, find, replace, says),
    "adapters/shared/directory/MemoryDirectory.test.ts",
    "core/directory/Book.test.ts",
  )

/** @param {string} file @param {string} find @param {string} replace @param {string} says */
const inPostgres = (file, find, replace, says) =>
  elsewhere(
    one(`adapters/shared/directory/${file}`, find, replace, says),
    "adapters/shared/directory/PostgresDirectory.test.ts",
  )

export const directories = [
  kept(
    "core/directory/Book.ts",
    "Math.min(stepMillis,",
    "Math.max(0,",
    "time counts while the directory is away",
  ),
  kept(
    "core/directory/HostBook.ts",
    "row.version <= upTo && ",
    "",
    "a host ends sessions that it has not heard of",
  ),
  kept("core/directory/SessionBook.ts", "key.fence !== row.fence", "false", "late words are heard"),
  kept(
    "core/directory/SessionBook.ts",
    ">= quota)",
    "> quota)",
    "a tenant has one session more than its quota",
  ),
  kept(
    "core/directory/Placement.ts",
    "pending.has(row.hostId)",
    "false",
    "a host that failed gets many claims",
  ),
  inPostgres("PostgresDecisions.ts", ">= quota then", "> quota then", "a tenant has one session more"),
  inPostgres(
    "PostgresTables.ts",
    "least(step, greatest",
    "greatest(0, greatest",
    "time counts while it is away",
  ),
  inPostgres(
    "PostgresCalls.ts",
    "        Effect.disconnect,\n",
    "",
    "an operation waits for a database that is stopped",
  ),
  inPostgres("PostgresListen.ts", `pg.on("notification", hear)`, "void hear", "no message wakes a watch"),
  inPostgres(
    "Watching.ts",
    `({ reason }) => reason === "Unavailable"`,
    "() => false",
    "a watch ends with a connection",
  ),
]
