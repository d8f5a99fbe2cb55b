/**
 * The request that a redirect leads to, by the rules of the peer implementation.
 *
 * 303 turns every method but HEAD into GET, 301 and 302 turn POST into GET; the body and the headers about it are
 * dropped then, and by a 303 of a HEAD, too. Towards another origin credentials are dropped, and so is a `host` header
 * of the caller, which the peer keeps.
 */
import * as Result from "effect/Result"
import type { Header, Request, Response } from "./HttpClient.ts"
import * as Url from "../protocol/Url.ts"

/** The most redirects that are followed, as in the peer implementation. */
export const most = 10

const followed = new Set([301, 302, 303, 307, 308])
const sensitive = new Set(["authorization", "cookie", "proxy-authorization", "www-authenticate", "host"])
const ofBody = new Set(["content-type", "content-length", "content-encoding", "transfer-encoding"])

/** The next request; undefined if the response is no redirect. A failure is a scheme that is not supported. */
export const next = (
  request: Request,
  { status, headers }: Pick<Response, "status" | "headers">,
): Result.Result<Request | undefined, string> => {
  const location = headers.find(({ name }) => name === "location")?.value
  if (!followed.has(status) || location === undefined) return Result.succeed(undefined)
  const target = Url.parse(location, request.url)
  if (Result.isFailure(target)) return Result.succeed(undefined)
  const url = target.success
  if (!Url.isWeb(url)) return Result.fail(Url.schemeOf(url))
  const from = Result.getOrThrow(Url.parse(request.url))
  const elsewhere = url.origin !== from.origin
  const bare = dropsBody(status, request.method)
  const kept = request.headers.filter(
    ({ name }) => name !== "referer" && !(elsewhere && sensitive.has(name)) && !(bare && ofBody.has(name)),
  )
  return Result.succeed({
    method: bare && request.method !== "HEAD" ? "GET" : request.method,
    url: Url.bare(url),
    headers: [...kept, ...referer(from, url)],
    body: bare ? new Uint8Array() : request.body,
  })
}

const dropsBody = (status: number, method: string): boolean =>
  status === 303 || (status < 303 && method === "POST")

/** The whole URL for the same origin, only the origin for another one, nothing from `https` to `http`. */
const referer = (from: Url.Url, to: Url.Url): ReadonlyArray<Header> =>
  from.protocol === "https:" && to.protocol === "http:"
    ? []
    : [{ name: "referer", value: from.origin === to.origin ? Url.bare(from) : `${from.origin}/` }]
