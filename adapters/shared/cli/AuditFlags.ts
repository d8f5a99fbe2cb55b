/** `--audit`: the file in which a server writes down what its clients do to this host. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AuditLog } from "../../../core/server/audit/AuditLog.ts"
import * as AuditFile from "../audit/AuditFile.ts"
import * as Flags from "./Flags.ts"

export const flags = {
  audit: { type: "string" },
  "audit-best-effort": { type: "boolean" },
} as const

export const help = `\
  --audit FILE|-             append a line of JSON to FILE, or to stderr, for what clients do: processes, files, HTTP
                             requests, and who asked. While it cannot be written, nothing is started or changed
  --audit-best-effort        go on without the lines that cannot be written, and count them
`

/** Opens the log of the flags until the scope closes; undefined if they ask for none. */
export const open = (
  command: string,
  values: Flags.Values<typeof flags>,
  about: Pick<AuditFile.Options, "version" | "lost">,
): Effect.Effect<AuditLog | undefined, Flags.UsageError | Flags.ConfigurationError, Scope.Scope> => {
  const { audit: path, "audit-best-effort": bestEffort = false } = values
  if (path !== undefined) {
    const opened = AuditFile.make({ ...about, path, bestEffort })
    return Effect.mapError(opened, ({ message }) => new Flags.ConfigurationError({ message }))
  }
  if (!bestEffort) return Effect.succeed(undefined)
  return new Flags.UsageError({ command, message: "--audit-best-effort needs --audit FILE" })
}
