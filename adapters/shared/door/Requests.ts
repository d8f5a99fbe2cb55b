/** What the door asks of every request before it looks at it: for whom it is, and from which page it comes. */
import type { IncomingMessage } from "node:http"
import type { Refusal } from "./Answer.ts"
import type { Names } from "./Names.ts"

/**
 * The path of a request below the prefix, without the query. A proxy may have left the prefix there or have taken it
 * away. Undefined for what is no path. Nothing is decoded, so there is one way to write each path.
 */
export const pathOf = ({ url = "" }: IncomingMessage, prefix: string): string | undefined => {
  if (!url.startsWith("/")) return undefined
  const end = url.search(/[?#]/)
  const path = end < 0 ? url : url.slice(0, end)
  return prefix !== "" && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

/**
 * Refuses a request for a host that is not this one, and one that a page of somebody else has sent. A link on such a
 * page may lead here: the browser sends no cookie with it.
 */
export const refusal = (request: IncomingMessage, names: Names): Refusal | undefined => {
  const { host, origin } = request.headers
  if (!names.hasHost(host)) return { status: 421, body: strange(host) }
  if (origin !== undefined && !names.hasOrigin(origin, host)) return { status: 403, body: foreign }
  const { "sec-fetch-site": site, "sec-fetch-mode": mode } = request.headers
  const isOther = site === "cross-site" || site === "same-site"
  return isOther && !(mode === "navigate" && request.method === "GET")
    ? { status: 403, body: foreign }
    : undefined
}

/** True if a request says that it comes from a page of this server: POST and WebSockets of browsers always say it. */
export const isFromPage = ({ headers: { host, origin } }: IncomingMessage, names: Names): boolean =>
  origin !== undefined && names.hasOrigin(origin, host)

const foreign = "this request comes from a page of another site"

const strange = (host: string | undefined): string =>
  host === undefined || !/^[\w.:[\]-]{1,255}$/.test(host)
    ? "the header Host is missing or wrong"
    : `this server does not go by the name ${host}: start it with --web-host ${host.replace(/:\d+$/, "")}`
