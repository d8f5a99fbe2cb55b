/**
 * What is asked next where an answer sends its asker elsewhere, by the rules of the peer implementation.
 *
 * 303 turns everything but HEAD into a GET, 301 and 302 turn a POST into one; the body goes and what describes it.
 * On another host or port credentials go, and so does the `host` that the caller has set, which the peer keeps.
 */
import * as Either from "effect/Either"
import type { Header, Request, Response } from "./HttpClient.ts"
import * as Url from "./Url.ts"

/** Most redirects that are followed. */
export const most = 10

const followed = new Set([301, 302, 303, 307, 308])
const sensitive = new Set(["authorization", "cookie", "proxy-authorization", "www-authenticate", "host"])
const ofBody = new Set(["content-type", "content-length", "content-encoding", "transfer-encoding"])

/** The next request; undefined if the response is the answer; on the left, the scheme that nobody can ask. */
export const next = (
  request: Request,
  { status, headers }: Pick<Response, "status" | "headers">,
): Either.Either<Request | undefined, string> => {
  const location = headers.find(({ name }) => name === "location")?.value
  if (!followed.has(status) || location === undefined) return Either.right(undefined)
  const target = Url.parse(location, request.url)
  if (Either.isLeft(target)) return Either.right(undefined)
  const url = target.right
  if (!Url.isWeb(url)) return Either.left(Url.schemeOf(url))
  const from = Either.getOrThrow(Url.parse(request.url))
  const elsewhere = url.origin !== from.origin
  const get = becomesGet(status, request.method)
  const kept = request.headers.filter(
    ({ name }) => name !== "referer" && !(elsewhere && sensitive.has(name)) && !(get && ofBody.has(name)),
  )
  return Either.right({
    method: get ? "GET" : request.method,
    url: Url.bare(url),
    headers: [...kept, ...referer(from, url)],
    body: get ? new Uint8Array() : request.body,
  })
}

const becomesGet = (status: number, method: string): boolean =>
  status === 303 ? method !== "GET" && method !== "HEAD" : status < 303 && method === "POST"

/** The whole URL to the same origin, the origin alone to another, nothing from `https` to `http`. */
const referer = (from: Url.Url, to: Url.Url): ReadonlyArray<Header> =>
  from.protocol === "https:" && to.protocol === "http:"
    ? []
    : [{ name: "referer", value: from.origin === to.origin ? Url.bare(from) : `${from.origin}/` }]
