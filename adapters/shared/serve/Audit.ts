/** The file in which a server writes down what its clients do to this host. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AuditLog } from "../../../core/server/audit/AuditLog.ts"
import * as AuditFile from "../audit/AuditFile.ts"
import type { Settings } from "./Given.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"

/** Opens the log of the options until the scope closes; undefined if they ask for none. */
export const open = (
  { options, label }: Settings,
  about: Pick<AuditFile.Options, "version" | "lost">,
): Effect.Effect<AuditLog | undefined, ServeError, Scope.Scope> => {
  const { audit: path, auditBestEffort: bestEffort = false, auditLog } = options
  if (auditLog !== undefined && path === undefined && !bestEffort) return Effect.succeed(auditLog)
  if (auditLog !== undefined) return invalid(`auditLog and ${label("audit")} exclude each other`)
  if (path !== undefined) {
    const opened = AuditFile.make({ ...about, path, bestEffort })
    return Effect.mapError(opened, ({ message }) => misconfigured(message))
  }
  if (!bestEffort) return Effect.succeed(undefined)
  return invalid(`${label("auditBestEffort")} needs ${label("audit")} FILE`)
}
