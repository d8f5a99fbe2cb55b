/**
 * HTTP requests by `node:http` and `node:https`, which Node, Bun and Deno all have and which apply back-pressure to the
 * origin while the body is not read.
 *
 * Connections are kept alive and reused. A connection that the origin has closed fails only when it is used; idempotent
 * requests are then sent once more on another. README.md says why no other client is used.
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
import * as Codings from "./Codings.ts"
import * as Routes from "./Routes.ts"
import type { Readable } from "node:stream"

export const layer: Layer.Layer<HttpClient> = Layer.effect(
  HttpClient,
  Effect.map(Routes.make, (routes) => ({
    get codings() {
      return Codings.names()
    },
    send: (request: Request) => send(request, routes),
  })),
)

/** The longest head of a response, in bytes. */
const maxHeaderSize = 256 * 1024

const send = (request: Request, routes: Routes.Routes): Effect.Effect<Response, HttpError, Scope.Scope> =>
  Effect.gen(function* () {
    const fault = (cause: unknown) =>
      new HttpError({ reason: "Send", message: String(cause), url: request.url, cause, ...codeOf(cause) })
    const route = yield* Effect.tryPromise({ try: (signal) => routes(request.url, signal), catch: fault })
    for (;;) {
      const outgoing = yield* Effect.acquireRelease(
        Effect.try({ try: () => begin(request, route), catch: fault }),
        (outgoing) => Effect.sync(() => outgoing.destroy()),
      )
      const answer = yield* Effect.result(answerTo(outgoing, request))
      if (answer._tag === "Success") return answer.success
      const again = outgoing.reusedSocket && idempotent.has(request.method)
      if (!again) return yield* Effect.fail(fault(answer.failure))
    }
  }).pipe(Effect.tapError((error) => Effect.logDebug(`http/request: ${error.message}`)))

/** The name of a failure of the system or of the look-up of a name. Bun has names of its own for two of them. */
const codeOf = (cause: unknown): { readonly code?: string } => {
  const code: unknown = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (typeof code !== "string") return {}
  const name = ofBun[code] ?? code
  return /^E[A-Z0-9_]+$/.test(name) ? { code: name } : {}
}

const ofBun: Readonly<Record<string, string>> = {
  ConnectionRefused: "ECONNREFUSED",
  FailedToOpenSocket: "ENOTFOUND",
  ConnectionClosed: "ECONNRESET",
}

const idempotent = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])

const begin = ({ method, url, headers, body }: Request, route: Routes.Route): ClientRequest => {
  const path = method === "CONNECT" ? { path: new URL(url).host } : {}
  const outgoing = route.module.request(url, {
    method,
    setHost: false,
    maxHeaderSize,
    ...path,
    ...route.options,
  })
  // The constructor turns the method into upper case.
  outgoing.method = method
  // Send no header beyond the request: HTTP/1.1 keeps connections alive without it.
  outgoing.removeHeader("connection")
  for (const [name, values] of grouped(headers)) outgoing.setHeader(name, values.map(toLatin1))
  for (const { name, value } of route.headers) if (!outgoing.hasHeader(name)) outgoing.setHeader(name, value)
  if (!outgoing.hasHeader("host")) outgoing.setHeader("host", new URL(url).host)
  // Without a body nothing is said about one, whatever the method, as by the peer.
  if (body.length === 0) outgoing.useChunkedEncodingByDefault = false
  else if (!outgoing.hasHeader("transfer-encoding")) outgoing.setHeader("content-length", body.length)
  return outgoing
}

/** Groups repeated headers at the place of the first. */
const grouped = (headers: ReadonlyArray<Header>): ReadonlyMap<string, Array<string>> => {
  const groups = new Map<string, Array<string>>()
  for (const { name, value } of headers) {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [value])
    else group.push(value)
  }
  return groups
}

/** The UTF-8 bytes of a text, one per character: `node:http` takes and returns headers as Latin-1. */
const toLatin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const fromLatin1 = (text: string): string => {
  // oxlint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return text
  const decoded = Buffer.from(text, "latin1").toString("utf8")
  return decoded.includes("\ufffd") ? text : decoded
}

const answerTo = (outgoing: ClientRequest, { url, body }: Request) =>
  Effect.callback<Response, Error>((resume) => {
    outgoing.on("error", (cause) => resume(Effect.fail(cause)))
    outgoing.on("response", (incoming) => {
      const decoder = Codings.decoderFor(headersOf(incoming))
      const response = toResponse(incoming, bodyOf(incoming, url, decoder))
      const { headers } = response
      resume(
        Effect.succeed(
          decoder === undefined ? response : { ...response, headers: Codings.ofDecoded(headers) },
        ),
      )
    })
    // An upgrade or a tunnel ends the exchange: the bytes that follow are not HTTP.
    const leave = (incoming: IncomingMessage, socket: { destroy(): unknown }) => {
      socket.destroy()
      resume(Effect.succeed(toResponse(incoming, Effect.succeed(undefined))))
    }
    outgoing.on("upgrade", leave).on("connect", leave)
    outgoing.end(body.length > 0 ? body : undefined)
  })

const toResponse = (incoming: IncomingMessage, read: Response["read"]): Response => ({
  status: incoming.statusCode ?? 0,
  headers: headersOf(incoming),
  read,
})

const headersOf = ({ rawHeaders }: IncomingMessage): ReadonlyArray<Header> =>
  rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [{ name: name.toLowerCase(), value: fromLatin1(rawHeaders[at + 1] ?? "") }] : [],
  )

/** The bytes read ahead of the consumer. */
const ahead = 256 * 1024

/** The body, read with back-pressure. Must be called in the event-loop turn of the "response" event, or data would be lost. */
const bodyOf = (incoming: IncomingMessage, url: string, decoder?: Codings.Decoder): Response["read"] => {
  let pieces: Array<Uint8Array> = []
  let size = 0
  let end: Effect.Effect<undefined, HttpError> | undefined
  let wake = () => {}

  const finish = (cause?: unknown) => {
    end ??=
      cause === undefined
        ? Effect.succeed(undefined)
        : Effect.fail(new HttpError({ reason: "Body", message: String(cause), url, cause }))
    wake()
  }
  const take = (from: Readable) => (bytes: Uint8Array) => {
    pieces.push(bytes)
    size += bytes.length
    if (size >= ahead) from.pause()
    wake()
  }
  const source = decoder === undefined ? incoming : decoded(incoming, decoder, take, finish)
  if (decoder === undefined) {
    incoming.on("data", take(incoming))
    atEnd(incoming, finish)
  }

  return Effect.callback<Uint8Array | undefined, HttpError>((resume) => {
    const look = () => {
      if (size === 0 && end === undefined) return
      wake = () => {}
      if (size === 0) return resume(end ?? Effect.succeed(undefined))
      const [first] = pieces
      const bytes = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces, size)
      pieces = []
      size = 0
      source.resume()
      resume(Effect.succeed(bytes))
    }
    wake = look
    look()
    return Effect.sync(() => (wake = () => {}))
  })
}

/** Calls `finish` once the body has ended, at least once; with a cause if it is incomplete. */
const atEnd = (incoming: IncomingMessage, finish: (cause?: unknown) => void): void => {
  incoming.on("end", () => finish(incoming.complete ? undefined : "the body is incomplete"))
  incoming.on("error", finish)
  incoming.on("close", () => finish("the connection was closed"))
}

/**
 * The decoder of a body, which gets it with back-pressure. A body without a byte is decoded as one, although no coding
 * has such a form. A fault comes after what was decoded before, but for the piece that has it.
 */
const decoded = (
  incoming: IncomingMessage,
  decoder: Codings.Decoder,
  take: (from: Readable) => (bytes: Uint8Array) => void,
  finish: (cause?: unknown) => void,
): Readable => {
  const stream = decoder()
  let begun = false
  let ended = false
  let fault: unknown
  stream.on("data", take(stream))
  stream.on("drain", () => incoming.resume())
  stream.on("end", () => finish(fault))
  stream.on("error", finish)
  incoming.on("data", (bytes: Uint8Array) => {
    begun = true
    if (!stream.write(bytes)) incoming.pause()
  })
  atEnd(incoming, (cause) => {
    if (ended) return
    ended = true
    fault = cause
    if (begun) stream.end()
    else finish(cause)
  })
  return stream
}
