/**
 * A transport carries whole JSON texts in both directions.
 *
 * `incoming` delivers one text per message, in order, and ends when the peer is gone. It is bounded: an adapter stops
 * reading its socket while messages are not taken. `write` accepts every message, in order, and returns true if the
 * peer keeps up; senders that are not answering a request (process output) must stop while it does not.
 */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { CutText } from "../protocol/CutText.ts"
import * as Limits from "../protocol/Limits.ts"
import type { SessionScope } from "../protocol/SessionScope.ts"

/** The failure of a transport. `message` is for logs. */
export class TransportError extends Data.TaggedError("TransportError")<{
  /**
   * `Open`: it could not be opened. `Unauthorized`: neither, because the server wants a token, or another one. `Io`:
   * the system reported an error.
   */
  readonly reason: "Open" | "Unauthorized" | "MessageTooLarge" | "InvalidUtf8" | "Io"
  /** For people. */
  readonly message: string
  /** The error of the runtime, if there is one. */
  readonly cause?: unknown
}> {}

/**
 * A JSON text, or the same as UTF-8; the caller must not change the bytes afterwards. The sender may give them back to
 * the `MemoryPool` that they come from.
 */
export type Outgoing = string | Uint8Array

/** All messages that wait, at least one unless the peer is gone; true beside them if none follows. */
export type TakeAll<Message> = Effect.Effect<
  readonly [messages: ReadonlyArray<Message>, done: boolean],
  TransportError
>

/** The messages of the peer. Each effect fails if the peer breaks the transport. */
export interface Incoming {
  /** The next message; `Done` if the peer is gone. */
  readonly take: Effect.Effect<string, TransportError | Cause.Done>
  /** All messages that wait. */
  readonly takeAll: TakeAll<string>
  /** Waits until the peer is gone and all of its messages are taken. */
  readonly await: Effect.Effect<void, TransportError>
  /** The number of messages that wait; undefined when the peer is gone and all are taken. */
  readonly size: () => number | undefined
}

/** The messages of the peer, where long base64 is cut out of them and decoded. */
export interface CutIncoming {
  /** All messages that wait. */
  readonly takeAll: TakeAll<string | CutText>
}

/** The other end of a connection, as far as its listener knows. */
export interface Peer {
  /** The carrier of the messages: `stdio`, `unix`, `tcp`, `tls`, `ws` or `wss`. */
  readonly transport: string
  /** `IP:PORT`, with brackets around an IPv6 address. */
  readonly address?: string | undefined
  /** Its user id, on a unix socket. */
  readonly uid?: number | undefined
  /** Its process id, on a unix socket. */
  readonly pid?: number | undefined
  /** The credential that admitted it; undefined if none was asked for. */
  readonly credential?: Credential | undefined
  /** Its rights on the sessions of others, by the door by which it came; undefined is none. */
  readonly scope?: SessionScope | undefined
}

/** The credentials of a client, by name; never the secret itself. */
export interface Credential {
  /** A token that the server knows, a signed one, a certificate of TLS, or a one-time link to the page. */
  readonly kind: "token" | "jwt" | "certificate" | "link"
  /** The file of a token, the `sub` of a JWT, the common name of a certificate; none of a link. */
  readonly name?: string | undefined
  /** The `iss` of a JWT, the common name of a certificate's issuer. */
  readonly issuer?: string | undefined
  /** The rights of its clients on the sessions of others; undefined is none. */
  readonly scope?: SessionScope | undefined
  /** The tenant that its sessions are counted for, of a JWT; undefined if it names none. */
  readonly tenant?: string | undefined
}

/** A place for the session of a connection, with a listener for what becomes of the session. */
export interface Place {
  /** The id that the session gets: a secret so far. */
  readonly sessionId: string
  /** The session is open; `end` ends it, and kills its processes. */
  readonly opened: (end: Effect.Effect<void>) => void
  /** The session is over. */
  readonly ended: () => void
  /** Waits until clients can come by this way; true if it had to wait. */
  readonly unreachable: Effect.Effect<boolean>
}

/** A connection that can become one with another one. */
export interface Line {
  /**
   * Splices the two connections; bytes are forwarded unchecked, and a slow reader slows down the sender. When one ends
   * so does the other one, and `ended` is called. From then on the transports of both, whose
   * `close` and scopes leave them alone, are of no use. False, and nothing has changed, while messages wait in
   * `incoming`; undefined if the two are not of a kind.
   */
  readonly join: (other: Line, ended: () => void) => boolean | undefined
}

/** One end of a transport. */
export interface Transport {
  /**
   * The name of a message of this transport in error texts: `JSON-RPC message from exec-server stdio`,
   * `websocket JSON-RPC message from exec-server websocket 127.0.0.1:40000`.
   */
  readonly label: string
  /** The other end, if a listener has made this transport. */
  readonly peer?: Peer | undefined
  /** Path and query of the HTTP request that became this connection, where it was one. */
  readonly requested?: string | undefined
  /** The place of the session of this connection in a fleet, if a router has found one. */
  readonly place?: Place | undefined
  /** Messages from the peer. Ends when the peer is gone. */
  readonly incoming: Incoming
  /** The same messages, to be taken in place of `incoming`: long base64 in them is decoded. Absent where it is not. */
  readonly cut?: CutIncoming
  /** The connection without what is around it here, for who passes messages on as they are. */
  readonly line?: Line
  /** Queues one message; false while more than `highWaterMark` bytes wait to be sent. */
  readonly write: (message: Outgoing) => boolean
  /** Sets the one listener that is called each time the queue has fallen below `highWaterMark` again. */
  readonly onDrain: (listener: () => void) => void
  /** Closes the connection. Queued messages are sent first if the peer still reads. Idempotent. */
  readonly close: Effect.Effect<void>
  /** Bytes that have come from the peer so far, whole messages or not. Absent where that is not known. */
  readonly received?: () => number
  /** Lets this program end while the connection is open. Absent where the connection does not keep it alive. */
  readonly unref?: () => void
}

/** Bytes that wait in a transport before `write` returns false: 1 MiB. */
export const highWaterMark = 1024 * 1024

/** Messages that wait in `incoming` before an adapter stops reading its source. */
export const incomingCapacity = 256

/** Their size with the same effect: 8 Mi UTF-16 units, which one message may exceed. */
export const incomingSize = 8 * 1024 * 1024

/** The longest message that is accepted by default, in bytes: 64 MiB, as in the peer implementation. */
export const maxMessageBytes = Limits.defaults.messageBytes

/** The failure for a message that is longer than the limit. */
export const tooLong = (maxMessageBytes: number): TransportError =>
  new TransportError({ reason: "MessageTooLarge", message: Limits.textOf("messageBytes", maxMessageBytes) })
