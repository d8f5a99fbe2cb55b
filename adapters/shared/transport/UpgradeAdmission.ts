/**
 * Which HTTP requests become a WebSocket, and the replies to all others: those of the peer implementation, and pages.
 *
 * The order of the rules matters. The Origin rule comes first; `/readyz` needs no credential; a malformed upgrade is
 * refused as malformed before its credential is checked. The other pages need the same credential as an upgrade.
 */
import type * as Bearer from "../auth/Bearer.ts"

export interface Request {
  readonly method: string
  /** Path and query as in the request line, or an absolute URL. */
  readonly url: string
  /** A header's first value, by lower-case name; undefined where absent. */
  readonly header: (name: string) => string | undefined
}

export interface Reply {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A rule for requests: the reply that refuses one, or undefined to admit it. */
export type Admit = (request: Request) => Promise<Reply | undefined>

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
    const refusal = await rule(request.header("authorization"))
    return refusal === undefined ? undefined : text(401, refusal)
  }

/** The reply to a request; undefined if it is to be upgraded. `admit` is asked last. */
export const answer = async (
  request: Request,
  { admit = async () => undefined, pages = {} }: Rules,
): Promise<Reply | undefined> => {
  // A web page in a browser must not reach the server: refuse any Origin header, even an empty one.
  if (request.header("origin") !== undefined) return { status: 403, body: "" }
  const path = pathOf(request.url)
  if (path === "/readyz") return notAllowed(request) ?? { status: 200, body: "" }
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined
  if (page !== undefined) return notAllowed(request) ?? (await admit(request)) ?? page()
  if (path !== "/") return { status: 404, body: "" }
  return malformed(request) ?? admit(request)
}

const notAllowed = ({ method }: Request): Reply | undefined =>
  method === "GET" || method === "HEAD"
    ? undefined
    : { status: 405, body: "", headers: { allow: "GET,HEAD" } }

/** The reply to an upgrade while no more connections are accepted; undefined otherwise. */
export const full = (refused: Error | undefined): Reply | undefined =>
  refused === undefined ? undefined : text(503, refused.message)

const malformed = (request: Request): Reply | undefined => {
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

const lower = (request: Request, name: string): string | undefined => request.header(name)?.toLowerCase()

const pathOf = (url: string): string => {
  const path = url.startsWith("/") ? url : url.replace(/^[a-z]+:\/\/[^/?#]*/iu, "")
  const end = path.search(/[?#]/u)
  const bare = end < 0 ? path : path.slice(0, end)
  return bare === "" ? "/" : bare
}
