/**
 * One connection to a server, as raw as it gets: texts and bytes out, texts in, and the end.
 *
 * A channel has no opinion about what it carries: malformed, cut and oversized messages go out as they are.
 */
import type { TransportKind } from "./TransportKind.ts"

export interface Incoming {
  readonly text: string
  /** A binary WebSocket frame. */
  readonly binary: boolean
  /** A stdio line that had no newline when the stream ended. */
  readonly unterminated: boolean
}

export interface ChannelEvents {
  readonly message: (incoming: Incoming) => void
  /** A WebSocket ping or pong. */
  readonly control: (kind: "ping" | "pong", payload: string) => void
  readonly end: (how: string) => void
}

export interface Channel {
  readonly kind: TransportKind
  /** One message: a line or a text frame. */
  readonly sendText: (text: string) => void
  /** Raw bytes into the stream, or one binary frame. */
  readonly sendBytes: (bytes: Uint8Array) => void
  /** One text frame of a fragmented message. Only over WebSocket. */
  readonly sendFragment: (text: string, last: boolean) => void
  readonly ping: (payload: string) => void
  /** Stops and continues to take what the server sends. */
  readonly pause: () => void
  readonly resume: () => void
  /** Ends politely: closes stdin, or sends a close frame. */
  readonly close: (code?: number) => void
  /** Ends without a word. */
  readonly drop: () => void
}
