/** Checks of every request before its handler: the host that it is for, and the page that it comes from. */
import type { IncomingMessage } from "node:http"
import type { Refusal } from "./Answer.ts"
import type { Names } from "./Names.ts"

/**
 * The path of a request below the prefix, without the query. A proxy may have left the prefix there or have taken it
 * away. Undefined for a text that is no path. Nothing is decoded, so there is one way to write each path.
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

/** Longer bodies are refused; a token has some kilobytes at most. */
const mostBytes = 16_384

/** The deadline of a body. */
const mostMillis = 10_000

/** The value, or the HTTP status of the refusal and why. */
export type JsonBody = Refusal | { readonly status?: undefined; readonly value: unknown }

const slow = { status: 408, body: "the body did not come" }
const long = { status: 413, body: `the body may have at most ${mostBytes} bytes` }
const broken = { status: 400, body: "the body is not JSON" }

/** True for what no form of another site can send without being asked for it (CORS). */
export const isJson = (contentType: string | undefined): boolean =>
  /^application\/json\s*(;|$)/i.test(contentType ?? "")

/** Reads the body of a request as JSON. One that does not come is refused. */
export const readJson = (request: IncomingMessage): Promise<JsonBody> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let length = 0
    const end = (body: JsonBody) => {
      clearTimeout(timer)
      resolve(body)
    }
    const timer = setTimeout(() => end(slow), mostMillis)
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length > mostBytes) end(long)
      else chunks.push(chunk)
    })
    request.on("end", () => end(parse(Buffer.concat(chunks).toString())))
    request.on("error", () => end(broken))
    request.on("close", () => end(broken))
  })

const parse = (text: string): JsonBody => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return broken
  }
}
