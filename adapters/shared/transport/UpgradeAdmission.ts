/**
 * Admits HTTP requests to WebSocket, and replies to all others as the peer implementation does, or with pages.
 *
 * The order of the rules matters. The Origin rule comes first; `/readyz` needs no credential; a malformed upgrade is
 * refused as malformed before its credential is checked. The other pages need the same credential as an upgrade.
 */
import type { IncomingMessage } from "node:http"
import type { Credential } from "../../../core/transport/Transport.ts"
import type * as Bearer from "../auth/Bearer.ts"

/** A request, before anybody has looked at its body. */
export interface Request {
  /** In capitals: `GET`. */
  readonly method: string
  /** Path and query as in the request line, or an absolute URL. */
  readonly url: string
  /** A header's first value, by lower-case name; undefined where absent. */
  readonly header: (name: string) => string | undefined
}

/** The answer to a request instead of a WebSocket. */
export interface Reply {
  /** The HTTP status. */
  readonly status: number
  /** The whole body. */
  readonly body: string
  /** Further headers, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A verdict on a request: it gets a reply, or it is admitted, by a credential if it needed one. */
export interface Admission {
  /** Without one the request is admitted. */
  readonly reply?: Reply | undefined
  /** The credential of the client, for the audit log. */
  readonly credential?: Credential | undefined
  /** Is given the connection that the request becomes; it may end it at any time. */
  readonly opened?: ((connection: Connection) => void) | undefined
}

/** The connection below the WebSocket of a client. */
export interface Connection {
  /** Ends it at once. */
  readonly destroy: () => void
  /** Tells when it has ended. */
  readonly once: (event: "close", listener: () => void) => unknown
}

/** A rule for requests. */
export type Admit = (request: Request) => Promise<Admission>

/** The pages for GET and HEAD, by path. */
export type Pages = Readonly<Record<string, () => Reply>>

export interface Rules {
  /** Asked for well-formed upgrades and for pages; the default admits all. */
  readonly admit?: Admit
  /** Pages beside `/readyz`. */
  readonly pages?: Pages
}

/** Admits by the `Authorization` header; a refused client sees nothing but the text of the refusal. */
export const admitBearer =
  (rule: Bearer.Rule): Admit =>
  async (request) => {
    const verdict = await rule(request.header("authorization"))
    return verdict.refusal === undefined ? verdict : { reply: text(401, verdict.refusal) }
  }

/** The reply to a request; without one it is to be upgraded. `admit` is asked last. */
export const answer = async (
  request: Request,
  { admit = async () => ({}), pages = {} }: Rules,
): Promise<Admission> => {
  // A web page in a browser must not reach the server: refuse any Origin header, even an empty one.
  if (request.header("origin") !== undefined) return { reply: { status: 403, body: "" } }
  const path = pathOf(request.url)
  if (path === "/readyz") return { reply: notAllowed(request) ?? { status: 200, body: "" } }
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined
  if (page !== undefined) {
    return { reply: notAllowed(request) ?? (await admit(request)).reply ?? page() }
  }
  if (path !== "/") return { reply: { status: 404, body: "" } }
  const reply = malformed(request)
  return reply === undefined ? admit(request) : { reply }
}

const notAllowed = ({ method }: Request): Reply | undefined =>
  method === "GET" || method === "HEAD"
    ? undefined
    : { status: 405, body: "", headers: { allow: "GET,HEAD" } }

/** The reply to an upgrade while no more connections are accepted; undefined otherwise. */
export const full = (refused: Error | undefined): Reply | undefined =>
  refused === undefined ? undefined : text(503, refused.message)

/** The reply to a request that is no upgrade to a WebSocket. */
export const malformed = (request: Request): Reply | undefined => {
  if (request.method !== "GET") return text(405, "Request method must be `GET`")
  if (!(lower(request, "connection") ?? "").includes("upgrade")) {
    return text(400, "Connection header did not include 'upgrade'")
  }
  if (lower(request, "upgrade") !== "websocket") {
    return text(400, "`Upgrade` header did not include 'websocket'")
  }
  if (request.header("sec-websocket-key") === undefined) {
    return text(400, "`Sec-WebSocket-Key` header missing")
  }
  return request.header("sec-websocket-version") === "13"
    ? undefined
    : text(400, "`Sec-WebSocket-Version` header did not include '13'")
}

const text = (status: number, body: string): Reply => ({
  status,
  body,
  headers: { "content-type": "text/plain; charset=utf-8" },
})

/** A request of `node:http`; `url` is where it counts as asked for, by default where it was. */
export const requestOf = (request: IncomingMessage, url = request.url ?? ""): Request => ({
  method: request.method ?? "",
  url,
  header: (name) => {
    const value = request.headers[name]
    return Array.isArray(value) ? value[0] : value
  },
})

const lower = (request: Request, name: string): string | undefined => request.header(name)?.toLowerCase()

const pathOf = (url: string): string => {
  const path = url.startsWith("/") ? url : url.replace(/^[a-z]+:\/\/[^/?#]*/iu, "")
  const end = path.search(/[?#]/u)
  const bare = end < 0 ? path : path.slice(0, end)
  return bare === "" ? "/" : bare
}
