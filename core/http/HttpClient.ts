/**
 * The seam that plug-ins implement: how one HTTP request becomes one response.
 *
 * A client holds no policy: redirects, deadlines, limits and what a request carries are the core's. It sends the
 * headers that it is given, in their order and as they are, adds none but `host` and the length of the body, follows no
 * redirect and decodes no body. It may route requests through proxies and reuse connections.
 *
 * What every client guarantees:
 * - `read` answers what has come of the body, in order, and nothing is taken from the origin for longer than a small
 *   buffer while nobody reads; undefined is its end. A body that breaks off fails after what came of it.
 * - closing the scope ends the exchange at once, whatever it is doing.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Why there is no response, or no more of its body. `message` is for logs: it may name what clients must not know. */
export class HttpError extends Data.TaggedError("HttpError")<{
  /**
   * `Send`: nobody could be asked, or what came is no HTTP. `Timeout`: there was no time. `TooManyRedirects` and
   * `RedirectScheme` (`detail` names it): the way ends there. `Body`: the body broke off.
   */
  readonly reason: "Send" | "Timeout" | "TooManyRedirects" | "RedirectScheme" | "Body"
  readonly message: string
  /** The URL that was asked. */
  readonly url: string
  readonly detail?: string
  readonly cause?: unknown
}> {}

export interface Header {
  /** In lower case. */
  readonly name: string
  readonly value: string
}

export interface Request {
  /** Sent as it is. */
  readonly method: string
  /** Absolute, of `http:` or `https:`, without credentials and fragment. */
  readonly url: string
  /** Values are texts, sent as UTF-8. */
  readonly headers: ReadonlyArray<Header>
  /** Empty if there is none. */
  readonly body: Uint8Array
}

export interface Response {
  readonly status: number
  /** In the order of the wire, repeated ones too. */
  readonly headers: ReadonlyArray<Header>
  /** The next bytes of the body, at least one; undefined behind the last. */
  readonly read: Effect.Effect<Uint8Array | undefined, HttpError>
}

export interface HttpClientService {
  /** The scope is the exchange's life. */
  readonly send: (request: Request) => Effect.Effect<Response, HttpError, Scope.Scope>
}

export class HttpClient extends Context.Tag("procwire/HttpClient")<HttpClient, HttpClientService>() {}
