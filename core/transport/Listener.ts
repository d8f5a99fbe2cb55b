/** The interface of what accepts connections: a socket, a WebSocket server, or stdin and stdout. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LimitError } from "../protocol/Limits.ts"
import type { Transport, TransportError } from "./Transport.ts"

/** Refusals of a listener on behalf of its server. */
export interface Terms {
  /** The longest message that is accepted, in bytes. */
  readonly maxMessageBytes?: number
  /**
   * The silence of a peer after which its connection ends, in milliseconds, where that can be judged; 0 is for
   * ever.
   */
  readonly peerTimeoutMillis?: number
  /** True where messages are only passed on: long base64 in them is not decoded. */
  readonly whole?: boolean
  /** The reason to accept no further connection now, if any. Called before a connection costs anything. */
  readonly refusal?: () => LimitError | undefined
}

/** Accepts connections on one address. */
export interface ListenerService {
  /** The address for clients: `ws://127.0.0.1:39211`, `stdio`. */
  readonly address: string
  /**
   * Serves until the listener ends (at EOF on stdin) or the effect is interrupted. `serve` runs once for each
   * connection, in a scope of its own; when it returns, the transport is closed.
   */
  readonly run: <R>(
    serve: (transport: Transport) => Effect.Effect<void, never, R | Scope.Scope>,
  ) => Effect.Effect<void, TransportError, Exclude<R, Scope.Scope>>
  /** Accepts no more connections; open ones go on. */
  readonly stop: Effect.Effect<void>
}

/** The service of one listener. */
export class Listener extends Context.Service<Listener, ListenerService>()("procwire/Listener") {}
