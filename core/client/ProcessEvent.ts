/**
 * The events of a process as its client delivers them: output, then exited and closed, or failed.
 *
 * Events with a seq are delivered strictly in its order. Output may follow `exited`, if a descendant holds the pipe;
 * nothing follows `closed`. `failed` is made by the client, and is the last event too.
 */
import type { OutputStream } from "../protocol/Process.ts"
import type { ClientError, ClientReason, Gone } from "./ClientError.ts"

/** One chunk of output. A UTF-8 character may be split between two chunks. */
export interface Output {
  readonly kind: "output"
  readonly seq: number
  readonly stream: OutputStream
  readonly bytes: Uint8Array
}

/** The process has exited. */
export interface Exited {
  readonly kind: "exited"
  readonly seq: number
  /** 128 + n for death by signal n. */
  readonly exitCode: number
  /** True if the server thinks that the sandbox denied something. */
  readonly sandboxDenied: boolean
}

/** The process has exited and every output stream is at EOF. */
export interface Closed {
  readonly kind: "closed"
  readonly seq: number
}

/** The client can no longer follow the process: the connection has ended, or events are lost. */
export interface Failed {
  readonly kind: "failed"
  readonly reason: ClientReason
  readonly message: string
  /** The range of the lost events, with the reason `EventsLost`. */
  readonly gone?: Gone
}

/** An event that the server has numbered. */
export type Sequenced = Output | Exited | Closed

/** Any event of a process. */
export type ProcessEvent = Sequenced | Failed

/** The memory that an event takes, in bytes: its output, and 64 for the event itself. */
export const weightOf = (event: ProcessEvent): number =>
  event.kind === "output" ? event.bytes.length + 64 : 64

/** The event that ends a process with an error. */
export const failed = ({ reason, message, gone }: ClientError): Failed => ({
  kind: "failed",
  reason,
  message,
  ...(gone === undefined ? {} : { gone }),
})
