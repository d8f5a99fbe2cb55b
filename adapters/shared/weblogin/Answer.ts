/** Answers of the site, each with the headers that keep a browser from using the page in any other way. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { promisify } from "node:util"
import { brotliDecompress } from "node:zlib"
import type { PageFile } from "./PageFiles.ts"

const decompress = promisify(brotliDecompress)

/**
 * The rights of a page of this site: its own files and its own server. It cannot be framed. Scripts and style
 * sheets are files. Style attributes are needed by the terminal, which writes the colours of cells into them; the style
 * sheets that it makes have to be given to the document as constructed ones.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ")

const guards: Readonly<Record<string, string>> = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

type Headers = Readonly<Record<string, string | number>>

/** Answers with a text, which no cache keeps. */
export const text = (response: ServerResponse, status: number, body = "", headers: Headers = {}): void => {
  const length = Buffer.byteLength(body)
  const type = body === "" ? {} : { "content-type": "text/plain; charset=utf-8" }
  const own = { ...guards, "cache-control": "no-store", ...type, ...headers }
  response.writeHead(status, status === 204 ? own : { ...own, "content-length": length })
  response.end(isHead(response) ? undefined : body)
}

/** Answers a refused request, and ends the connection: the rest of a body that is too long is not waited for. */
export const refused = (response: ServerResponse, { status, body }: Refusal): void =>
  text(response, status, body, { connection: "close" })

export interface Refusal {
  readonly status: number
  readonly body: string
}

export const json = (response: ServerResponse, value: object): void =>
  text(response, 200, JSON.stringify(value), { "content-type": "application/json" })

/** Answers with a file, as it is to those that take it so; a cache asks each time whether it is current. */
export const file = async (
  request: IncomingMessage,
  response: ServerResponse,
  { bytes, type, hash }: PageFile,
): Promise<void> => {
  const packed = takesBrotli(request.headers["accept-encoding"])
  const tag = `"${hash}${packed ? "-br" : ""}"`
  const own = { ...guards, "cache-control": "no-cache", vary: "accept-encoding", etag: tag }
  if (request.headers["if-none-match"] === tag) {
    response.writeHead(304, own)
    response.end()
    return
  }
  const body = packed ? bytes : await decompress(bytes)
  response.writeHead(200, {
    ...own,
    "content-type": type,
    "content-length": body.length,
    ...(packed ? { "content-encoding": "br" } : {}),
  })
  response.end(isHead(response) ? undefined : body)
}

const isHead = ({ req: { method } }: ServerResponse): boolean => method === "HEAD"

/** True if a header `Accept-Encoding` has brotli, and does not exclude it. */
const takesBrotli = (header: string | ReadonlyArray<string> | undefined): boolean => {
  const weights = new Map(
    String(header ?? "")
      .toLowerCase()
      .split(",")
      .map((each) => {
        const [coding = "", ...parameters] = each.split(";").map((part) => part.trim())
        const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
        return [coding, weight === undefined ? 1 : Number(weight)] as const
      }),
  )
  return (weights.get("br") ?? weights.get("*") ?? 0) > 0
}
