/**
 * The package of PostgreSQL, which is optional: it is loaded when the first directory is made, and its absence is an
 * error with the command that installs it, and its Effect.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { DirectoryError } from "../../../core/directory/DirectoryError.ts"
import { notInstalled } from "./NotInstalled.ts"

// A bundle has an Effect of its own, and the package opens no secret that another copy has closed. As no literal, the
// name is that of the copy which the package finds, too.
const secrets: string = "effect/Redacted"

const load = async () => {
  const [client, redacted] = await Promise.all([import("@effect/sql-pg/PgClient"), import(secrets)])
  return { ...client, Redacted: redacted as typeof Redacted }
}

export type PgClient = Awaited<ReturnType<typeof load>>

/** The packages that npm installs for it, each with its line of versions. */
export const wanted: ReadonlyArray<string> = ["@effect/sql-pg@4.0", "effect@4.1"]

/** Loads it. Fails with `NotInstalled` where it is absent, or another. */
export const loaded: Effect.Effect<PgClient, DirectoryError> = Effect.tryPromise({
  try: load,
  catch: notInstalled("PostgreSQL", wanted),
})
