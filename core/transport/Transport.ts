/**
 * A message pipe: whole JSON texts in both directions, whatever carries them.
 *
 * `incoming` delivers one text per message, in order, and ends when the peer is gone. It is bounded: an
 * adapter stops reading its socket while nobody takes. `write` is the byte path out: it always accepts
 * the message, in order, and answers whether the peer keeps up; whoever produces on its own account
 * (child output) stops while it does not.
 */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Mailbox from "effect/Mailbox"
import * as Limits from "../protocol/Limits.ts"

/** Why a transport ended before its time. `message` is for logs. */
export class TransportError extends Data.TaggedError("TransportError")<{
  readonly reason: "Open" | "MessageTooLarge" | "InvalidUtf8" | "Io"
  readonly message: string
  readonly cause?: unknown
}> {}

/** A JSON text, or the same already encoded as UTF-8 (the caller gives the bytes away). */
export type Outgoing = string | Uint8Array

export type Incoming = Pick<
  Mailbox.ReadonlyMailbox<string, TransportError>,
  "take" | "takeAll" | "await" | "size" | "unsafeSize"
>

export interface Transport {
  /**
   * What carries the messages, as error texts name it: `JSON-RPC message from exec-server stdio`,
   * `websocket JSON-RPC message from exec-server websocket 127.0.0.1:40000`.
   */
  readonly label: string
  /** Messages from the peer. Its end is the end of the peer; a failure is a broken peer. */
  readonly incoming: Incoming
  /** Queues one message; false while more than the high-water mark waits to be sent. */
  readonly write: (message: Outgoing) => boolean
  /** Called each time the queue has fallen below the high-water mark again. One listener. */
  readonly onDrain: (listener: () => void) => void
  /** Ends the connection. What was queued before is sent first where the peer still reads. Idempotent. */
  readonly close: Effect.Effect<void>
}

/** Most bytes that may wait in a transport before `write` answers false: 1 MiB. */
export const highWaterMark = 1024 * 1024

/** Most messages that wait in `incoming` before an adapter stops reading its source. */
export const incomingCapacity = 256

/** Most of them where they are long: 8 Mi UTF-16 units, and one message beyond. */
export const incomingSize = 8 * 1024 * 1024

/** The largest message taken from a peer if nothing else is said, in bytes: 64 MiB, as in the peer implementation. */
export const maxMessageBytes = Limits.defaults.messageBytes

/** The end of a peer whose message is longer than that. */
export const tooLong = (maxMessageBytes: number): TransportError =>
  new TransportError({ reason: "MessageTooLarge", message: Limits.textOf("messageBytes", maxMessageBytes) })
