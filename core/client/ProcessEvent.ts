/**
 * The events of a process as its client delivers them: output, then exited and closed, or failed.
 *
 * Events with a seq are delivered strictly in its order, and none is left out but those of a gap. Output may follow
 * `exited`, if a descendant holds the pipe; nothing follows `closed`. `failed` is made by the client, and is the last
 * event too.
 */
import * as Credit from "../protocol/Credit.ts"
import type { ClosedFields, FeatureEvent } from "../features/Wires.ts"
import type { EndedBy, OutputStream, ResourceLimit } from "../protocol/Process.ts"
import type { ClientError, ClientReason, Gone } from "./ClientError.ts"

/** One chunk of output. A UTF-8 character may be split between two chunks. */
export interface Output {
  /** Tells the events apart. */
  readonly kind: "output"
  /** Its place among the events of the process; the first is 1. */
  readonly seq: number
  /** `stdout` or `stderr` of a process on pipes, `pty` for a terminal. */
  readonly stream: OutputStream
  /** The output, at least one byte. */
  readonly bytes: Uint8Array
}

/** The process has exited. */
export interface Exited {
  /** Tells the events apart. */
  readonly kind: "exited"
  /** Its place among the events of the process. */
  readonly seq: number
  /** 128 + n for death by signal n. */
  readonly exitCode: number
  /** True if the server thinks that the sandbox denied something. */
  readonly sandboxDenied: boolean
  /** The bound of resources that has ended the process: one that the server sets, as with `--spawner limits:…`. */
  readonly limit?: ResourceLimit | undefined
  /** True if the kernel has killed the process, or one that it had started, because memory ran out. */
  readonly oomKilled?: boolean | undefined
  /** The cause of its end, where the server has the capability `processDeadlines`: `exit`, `timeout`, … */
  readonly endedBy?: EndedBy | undefined
  /** The number of the signal that it died of, with `endedBy`. */
  readonly signal?: number | undefined
}

/** The process has exited and every output stream is at EOF. */
export interface Closed extends ClosedFields {
  /** Tells the events apart. */
  readonly kind: "closed"
  /** Its place among the events of the process; the last one. */
  readonly seq: number
}

/** The client can no longer follow the process: the connection has ended, or events are lost. */
export interface Failed {
  /** Tells the events apart. This one has no seq: the server does not know it. */
  readonly kind: "failed"
  /** Why, for programs. */
  readonly reason: ClientReason
  /** Why, for people. */
  readonly message: string
  /** The range of the lost events, with the reason `EventsLost`. */
  readonly gone?: Gone
}

/** An event that the server has numbered. */
export type Sequenced = Output | FeatureEvent | Exited | Closed

/** Any event of a process. */
export type ProcessEvent = Sequenced | Failed

/** The memory that an event takes besides its output, in bytes. */
export const eventBytes = 64

/** The memory that an event takes, in bytes. */
export const weightOf = (event: ProcessEvent): number =>
  event.kind === "output" ? event.bytes.length + eventBytes : eventBytes

/** The credit of its process that an event takes. */
export const creditOf = (event: ProcessEvent): number =>
  event.kind === "output" ? Credit.creditOf(event.bytes.length) : 0

/** The event that ends a process with an error. */
export const failed = ({ reason, message, gone }: ClientError): Failed => ({
  kind: "failed",
  reason,
  message,
  ...(gone === undefined ? {} : { gone }),
})
