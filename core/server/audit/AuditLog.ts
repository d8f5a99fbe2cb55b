/**
 * The seam for an audit log: where the events of a server are written to.
 *
 * A server without one pays nothing. One that has a log begins nothing that changes the host before the log has taken
 * the event of it: a log that cannot be written stops starts, changes to files and HTTP requests, and nothing else.
 */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Event } from "./AuditEvent.ts"

/** The log cannot be written. `message` is the text for clients: it says why, and what an operator can do. */
export class AuditError extends Data.TaggedError("AuditError")<{
  /** `Write`: the system refused. `Timeout`: it took too long. */
  readonly reason: "Write" | "Timeout"
  /** The text for clients. */
  readonly message: string
  /** The error of the runtime, if there is one. */
  readonly cause?: unknown
}> {}

/** Takes the events of a server, in order. */
export interface AuditLog {
  /** Completes when the event is written; what it announces must not happen before. */
  readonly admit: (event: Event) => Effect.Effect<void, AuditError>
  /** Takes an event of what has happened already. One that is lost in the end is counted by the log. */
  readonly note: (event: Event) => void
}

/** The time of an event from milliseconds since 1970. */
export const toTime = (millis: number): string => new Date(millis).toISOString()
