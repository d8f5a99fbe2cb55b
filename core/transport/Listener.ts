/** The seam for whatever brings connections: a socket, a WebSocket server, or stdin and stdout. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LimitError } from "../protocol/Limits.ts"
import type { Transport, TransportError } from "./Transport.ts"

/** What a server asks of whoever listens for it. */
export interface Terms {
  /** The longest message that is taken from a peer. */
  readonly maxMessageBytes?: number
  /** Why no more connections are wanted: asked before one costs anything. */
  readonly refusal?: () => LimitError | undefined
}

export interface ListenerService {
  /** Where clients connect: `ws://127.0.0.1:39211`, `stdio`. */
  readonly address: string
  /**
   * Serves until the listener ends (stdin closed) or the effect is interrupted. `serve` runs once per
   * connection, in a scope of that connection; when it returns, the transport is closed.
   */
  readonly run: <R>(
    serve: (transport: Transport) => Effect.Effect<void, never, R | Scope.Scope>,
  ) => Effect.Effect<void, TransportError, Exclude<R, Scope.Scope>>
  /** Takes no more connections from now on; those that are there go on. */
  readonly stop: Effect.Effect<void>
}

export class Listener extends Context.Tag("procwire/Listener")<Listener, ListenerService>() {}
