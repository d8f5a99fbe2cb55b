/**
 * Records the acts of one connection as events of the audit log. Without a log it wraps nothing.
 *
 * It stands around what the handlers use: the spawn of a process, the file calls and the HTTP client. So an event is
 * made where the thing happens, behind checks and locks and with resolved paths, and the order of requests stays as it
 * is.
 */
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import type { HttpClientService } from "../../http/HttpClient.ts"
import type { AroundSpawn } from "../../process/Lifecycle.ts"
import type { Attempt, Decision } from "../../spawn/Egress.ts"
import type { SpawnSpec } from "../../spawn/Spawner.ts"
import type { SandboxedFiles } from "../../features/fs/SandboxedFiles.ts"
import { shown } from "../../features/secrets/Secrets.ts"
import * as AuditedFiles from "./AuditedFiles.ts"
import * as AuditedHttp from "./AuditedHttp.ts"
import * as AuditedStart from "./AuditedStart.ts"
import type * as AuditEvent from "./AuditEvent.ts"
import type { AuditLog } from "./AuditLog.ts"
import * as AuditScribe from "./AuditScribe.ts"

/** The audit of one connection. */
export interface Auditing {
  /** The wrap around the spawn of a process; undefined without a log. */
  readonly start: (spec: SpawnSpec) => AroundSpawn | undefined
  /** A client has sent a signal to a process. */
  readonly signal: (processId: string, signal: AuditEvent.Signal) => void
  /** A process has asked for a connection, and got this decision; undefined without a log. */
  readonly egress: ((processId: string, attempt: Attempt, decision: Decision) => void) | undefined
  /** The same file calls, audited. */
  readonly files: (files: SandboxedFiles) => SandboxedFiles
  /** The same client, audited. */
  readonly http: (client: HttpClientService) => HttpClientService
}

/** Without a log. */
export const none: Auditing = {
  start: () => undefined,
  signal: () => {},
  egress: undefined,
  files: (files) => files,
  http: (client) => client,
}

/** The audit of a connection in this log. */
export const make = (log: AuditLog | undefined, origin: AuditScribe.Origin): Effect.Effect<Auditing> =>
  log === undefined
    ? Effect.succeed(none)
    : Effect.map(Clock.Clock, (clock) => {
        const scribe = AuditScribe.make(log, origin, clock)
        return {
          start: (spec) => AuditedStart.around(scribe, shown(spec)),
          signal: (processId, signal) => scribe.note({ event: "process.signal", processId, signal }),
          egress: (processId, { protocol, host, port }, decision) =>
            scribe.note({
              event: "egress",
              processId,
              protocol,
              host,
              port,
              allowed: decision.allowed,
              rule: decision.rule,
              reason: decision.allowed ? undefined : decision.reason,
            }),
          files: (files) => AuditedFiles.make(files, scribe),
          http: (client) => AuditedHttp.make(client, scribe),
        }
      })
