/**
 * What happens to a process, as its client sees it: output, then exited and closed, or failed.
 *
 * Events with a seq come strictly in its order. Output may follow `exited` (a descendant held the pipe);
 * nothing follows `closed`. `failed` is made by the client and is the last event too.
 */
import type { OutputStream } from "../protocol/Process.ts"
import type { ClientError, ClientReason, Gone } from "./ClientError.ts"

/** One piece of output; UTF-8 may be split between two. */
export interface Output {
  readonly kind: "output"
  readonly seq: number
  readonly stream: OutputStream
  readonly bytes: Uint8Array
}

/** Death by signal n is `exitCode` 128 + n. */
export interface Exited {
  readonly kind: "exited"
  readonly seq: number
  readonly exitCode: number
  readonly sandboxDenied: boolean
}

/** The process has exited and every stream has ended. */
export interface Closed {
  readonly kind: "closed"
  readonly seq: number
}

/** The client can no longer follow the process: the connection is gone, or events are. */
export interface Failed {
  readonly kind: "failed"
  readonly reason: ClientReason
  readonly message: string
  /** The numbers of the events that are gone, where events are what was lost. */
  readonly gone?: Gone
}

/** An event that the server has numbered. */
export type Sequenced = Output | Exited | Closed

export type ProcessEvent = Sequenced | Failed

/** What an event costs to hold, in bytes: its output and a little for itself. */
export const weightOf = (event: ProcessEvent): number =>
  event.kind === "output" ? event.bytes.length + 64 : 64

/** The last event of a process that has ended in an error. */
export const failed = ({ reason, message, gone }: ClientError): Failed => ({
  kind: "failed",
  reason,
  message,
  ...(gone === undefined ? {} : { gone }),
})
