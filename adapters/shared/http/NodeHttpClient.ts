/**
 * HTTP requests by `node:http` and `node:https`, which Node, Bun and Deno all have and which stop reading from the
 * origin while nobody takes the body.
 *
 * Connections are kept and used again. One that the origin has closed meanwhile shows so only when it is used: what can
 * be asked twice is asked again on another. See the README beside this file for why it is no other client.
 */
import { Buffer } from "node:buffer"
import type { ClientRequest, IncomingMessage } from "node:http"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import {
  HttpClient,
  HttpError,
  type Header,
  type Request,
  type Response,
} from "../../../core/http/HttpClient.ts"
import * as ResponseBody from "./ResponseBody.ts"
import type { Route } from "./Route.ts"
import * as Routes from "./Routes.ts"

export const layer: Layer.Layer<HttpClient> = Layer.scoped(
  HttpClient,
  Effect.map(Routes.make, (routes) => ({ send: (request: Request) => send(request, routes) })),
)

/** Longest head of a response. */
const maxHeaderSize = 256 * 1024

const send = (request: Request, routes: Routes.Routes): Effect.Effect<Response, HttpError, Scope.Scope> =>
  Effect.gen(function* () {
    const fault = (cause: unknown) =>
      new HttpError({ reason: "Send", message: String(cause), url: request.url, cause })
    const route = yield* Effect.tryPromise({ try: (signal) => routes(request.url, signal), catch: fault })
    for (;;) {
      const outgoing = yield* Effect.acquireRelease(
        Effect.try({ try: () => begin(request, route), catch: fault }),
        (outgoing) => Effect.sync(() => outgoing.destroy()),
      )
      const answer = yield* Effect.either(answerTo(outgoing, request))
      if (answer._tag === "Right") return answer.right
      const again = outgoing.reusedSocket && idempotent.has(request.method)
      if (!again) return yield* Effect.fail(fault(answer.left))
    }
  }).pipe(Effect.tapError((error) => Effect.logDebug(`http/request: ${error.message}`)))

const idempotent = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])

/** Methods that say nothing about a body that is not there. */
const bodiless = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"])

const begin = ({ method, url, headers, body }: Request, route: Route): ClientRequest => {
  const path = method === "CONNECT" ? { path: new URL(url).host } : {}
  const outgoing = route.module.request(url, {
    method,
    setHost: false,
    maxHeaderSize,
    ...path,
    ...route.options,
  })
  // It comes out of the constructor in upper case.
  outgoing.method = method
  // Without this word nobody asked for, connections are kept all the same: that is how HTTP/1.1 means it.
  outgoing.removeHeader("connection")
  for (const [name, values] of grouped(headers)) outgoing.setHeader(name, values.map(toLatin1))
  for (const { name, value } of route.headers) if (!outgoing.hasHeader(name)) outgoing.setHeader(name, value)
  if (!outgoing.hasHeader("host")) outgoing.setHeader("host", new URL(url).host)
  const expected = body.length > 0 || !bodiless.has(method.toUpperCase())
  if (expected && !outgoing.hasHeader("transfer-encoding")) outgoing.setHeader("content-length", body.length)
  return outgoing
}

/** Repeated headers stand together, where the first of them stood. */
const grouped = (headers: ReadonlyArray<Header>): ReadonlyMap<string, Array<string>> => {
  const groups = new Map<string, Array<string>>()
  for (const { name, value } of headers) {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [value])
    else group.push(value)
  }
  return groups
}

/** The bytes of a text in UTF-8, one per character: the form in which these modules take and give headers. */
const toLatin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const fromLatin1 = (text: string): string => {
  // oxlint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return text
  const decoded = Buffer.from(text, "latin1").toString("utf8")
  return decoded.includes("\ufffd") ? text : decoded
}

/** Sends the body and waits for the head of the response. */
const answerTo = (outgoing: ClientRequest, { url, body }: Request) =>
  Effect.async<Response, Error>((resume) => {
    outgoing.on("error", (cause) => resume(Effect.fail(cause)))
    outgoing.on("response", (incoming) =>
      resume(Effect.succeed(toResponse(incoming, ResponseBody.make(incoming, url)))),
    )
    // Where an origin leaves HTTP the exchange is over: nobody here speaks what comes.
    const leave = (incoming: IncomingMessage, socket: { destroy(): unknown }) => {
      socket.destroy()
      resume(Effect.succeed(toResponse(incoming, Effect.succeed(undefined))))
    }
    outgoing.on("upgrade", leave).on("connect", leave)
    outgoing.end(body.length > 0 ? body : undefined)
  })

const toResponse = ({ statusCode = 0, rawHeaders }: IncomingMessage, read: Response["read"]): Response => ({
  status: statusCode,
  headers: rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [{ name: name.toLowerCase(), value: fromLatin1(rawHeaders[at + 1] ?? "") }] : [],
  ),
  read,
})
