/**
 * The state of one connection: its dialect, its session, and which of `initialize` and `initialized` it has seen.
 *
 * A state machine without effects: new -> initializing (the session is being opened or resumed) -> initialized ->
 * ready. A failed `initialize` leads back to new; over is a connection that has ended its session. A dialect without a
 * handshake has no such phases, only a session or none.
 */
import * as Data from "effect/Data"
import type { Dialect } from "../protocol/dialect/Dialect.ts"
import type { Request } from "../protocol/Message.ts"
import type { Family } from "../protocol/Methods.ts"

/**
 * A request in the wrong state of its connection: before `initialize`, before `initialized`, or an `initialize` behind
 * another one.
 */
export class HandshakeError extends Data.TaggedError("HandshakeError")<{
  /**
   * `NotInitialized`: no `initialize` yet. `NotReady`: no `initialized` yet. `Repeated`: a second `initialize`.
   */
  readonly reason: "NotInitialized" | "NotReady" | "Repeated"
  /** The group of methods that the request belongs to, for the text. */
  readonly family?: Family
}> {}

/** The state of one connection; `S` is its session. */
export interface Handshake<S> {
  /** The dialect of the connection. It changes only until it is detected (see `Dialect.next`). */
  readonly dialect: () => Dialect
  /** The session that the connection is attached to. */
  readonly session: () => S | undefined
  /** Detects the dialect by a request. Returns the session that ends because that dialect opens its own. */
  readonly decide: (request: Request) => S | undefined
  /** Why a request of this family cannot be served yet. */
  readonly refusal: (family: Family) => HandshakeError | undefined
  /** Begins an `initialize`, or refuses it because another one has begun. */
  readonly begin: () => HandshakeError | undefined
  /** Ends an `initialize` that has failed; the client may send another one. */
  readonly fail: () => void
  /** Ends an `initialize` that has opened or resumed a session. */
  readonly succeed: (session: S) => void
  /** Attaches to a session without `initialize`, where the dialect has no handshake. */
  readonly bind: (session: S) => void
  /** The session has ended for good: nothing more is served, and there is no other session. */
  readonly end: () => void
  /** Takes a notification of the client; returns what `Dialect.notification` does. */
  readonly notification: (method: string) => ReturnType<Dialect["notification"]>
}

/** A new connection. */
export const make = <S>(first: Dialect): Handshake<S> => {
  let phase: "new" | "initializing" | "initialized" | "ready" | "over" = "new"
  let dialect = first
  let session: S | undefined

  return {
    dialect: () => dialect,
    session: () => session,
    decide: (request) => {
      if (dialect.next === undefined) return undefined
      dialect = dialect.next(request) ?? dialect
      if (dialect.handshake) return undefined
      const ended = session
      session = undefined
      return ended
    },
    refusal: (family) => {
      if (!dialect.handshake || phase === "ready") return undefined
      return new HandshakeError({ reason: session === undefined ? "NotInitialized" : "NotReady", family })
    },
    begin: () => {
      if (phase !== "new") return new HandshakeError({ reason: "Repeated" })
      phase = "initializing"
      return undefined
    },
    fail: () => {
      phase = "new"
    },
    succeed: (opened) => {
      session = opened
      phase = "initialized"
    },
    bind: (opened) => {
      session = opened
    },
    end: () => {
      session = undefined
      phase = "over"
    },
    notification: (method) => {
      const taken = dialect.notification(method, session !== undefined)
      if (taken === "initialized" && phase !== "over") phase = "ready"
      return taken
    },
  }
}
