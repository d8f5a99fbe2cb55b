/**
 * One connection to a server at the lowest level: sends texts and bytes, receives texts and the end.
 *
 * A channel does not check what it carries: malformed, incomplete and oversized messages are sent as they are.
 */
import type { TransportKind } from "./TransportKind.ts"

/** One message that has arrived. */
export interface Incoming {
  /** The message as it came. */
  readonly text: string
  /** A binary WebSocket frame. */
  readonly binary: boolean
  /** A stdio line that had no newline when the stream ended. */
  readonly unterminated: boolean
}

/** Called for what arrives. */
export interface ChannelEvents {
  /** A message has arrived. */
  readonly message: (incoming: Incoming) => void
  /** A WebSocket ping or pong. */
  readonly control: (kind: "ping" | "pong", payload: string) => void
  /** The connection has ended; `how` says in which way, for error texts. */
  readonly end: (how: string) => void
}

/** One connection. */
export interface Channel {
  /** The transport of the channel. */
  readonly kind: TransportKind
  /** One message: a line or a text frame. */
  readonly sendText: (text: string) => void
  /** Raw bytes into the stream, or one binary frame. */
  readonly sendBytes: (bytes: Uint8Array) => void
  /** One text frame of a fragmented message. Only over WebSocket. */
  readonly sendFragment: (text: string, last: boolean) => void
  /** A WebSocket ping. Only over WebSocket. */
  readonly ping: (payload: string) => void
  /** Stops reading until `resume`. */
  readonly pause: () => void
  /** Reads on. */
  readonly resume: () => void
  /** Ends the connection in order: closes stdin, or sends a close frame. */
  readonly close: (code?: number) => void
  /** Ends the connection at once. */
  readonly drop: () => void
}
