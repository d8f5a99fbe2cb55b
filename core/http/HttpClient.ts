/**
 * The seam for HTTP: how one request becomes one response.
 *
 * A client has no policy: redirects, deadlines, limits and headers are decided in the core. It sends the given
 * headers unchanged and in order, adds only `host` and the length of the body, and follows no redirect. It decodes
 * bodies in the codings that it names, and no other. It may route requests through proxies and reuse connections.
 *
 * Every client guarantees:
 * - `read` returns the body in order, without buffering more than a little ahead of the reader (back-pressure). A body
 *   that breaks off fails after all that was received.
 * - Closing the scope ends the exchange at once, in any state.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The failure of a response, or of its body. `message` may contain internal addresses: it is for logs only. */
export class HttpError extends Data.TaggedError("HttpError")<{
  /**
   * `Send`: the connection failed, or the answer is not HTTP. `Timeout`: the deadline had passed before the request.
   * `TooManyRedirects`. `RedirectScheme`: a redirect to another scheme than HTTP; `detail` names it. `Body`: the body
   * broke off. `Unaudited`: the audit log could not be written, and `message` is for the client. `Confined`: the
   * server itself has no network, and `message` is for the client.
   */
  readonly reason:
    | "Send"
    | "Timeout"
    | "TooManyRedirects"
    | "RedirectScheme"
    | "Body"
    | "Unaudited"
    | "Confined"
  readonly message: string
  /** The URL of the request. */
  readonly url: string
  /** The name of the failure of the connection, as in Node, if it has one: `ECONNREFUSED`. Clients see it. */
  readonly code?: string
  /** The scheme of the redirect, with the reason `RedirectScheme`. */
  readonly detail?: string
  readonly cause?: unknown
}> {}

/** A header. */
export interface Header {
  /** In lower case. */
  readonly name: string
  /** Text, sent as UTF-8. */
  readonly value: string
}

/** A request that can be sent. */
export interface Request {
  /** Sent unchanged. */
  readonly method: string
  /** Absolute, of `http:` or `https:`, without credentials and fragment. */
  readonly url: string
  /** Sent in this order. */
  readonly headers: ReadonlyArray<Header>
  /** Empty if the request has no body. */
  readonly body: Uint8Array
}

/** The head of a response, and how its body is read. */
export interface Response {
  /** The status code. */
  readonly status: number
  /**
   * In the order in which they came; repeated headers are not joined. Those of a body that was decoded have neither
   * `content-encoding` nor `content-length`.
   */
  readonly headers: ReadonlyArray<Header>
  /** The next bytes of the body, at least one; undefined at its end. */
  readonly read: Effect.Effect<Uint8Array | undefined, HttpError>
}

/** An HTTP client. */
export interface HttpClientService {
  /** The content codings that it decodes, the best one first; none by default. */
  readonly codings?: ReadonlyArray<string>
  /** Sends a request and returns the head of its response. The exchange ends with the scope. */
  readonly send: (request: Request) => Effect.Effect<Response, HttpError, Scope.Scope>
}

/** The client of a server that is confined without a network: it refuses every request. */
export const withoutNetwork: HttpClientService = {
  send: ({ url }) =>
    Effect.fail(
      new HttpError({
        reason: "Confined",
        message: "http/request is refused: this server is confined without a network (--confine)",
        url,
      }),
    ),
}

/** The HTTP client of a server. */
export class HttpClient extends Context.Service<HttpClient, HttpClientService>()("procwire/HttpClient") {}

/** The text for a body that broke off, in answers and in the last frame of a stream. */
export const brokenBody = "error decoding response body"
