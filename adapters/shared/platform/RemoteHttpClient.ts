/**
 * `HttpClient` of Effect whose requests the server makes, from its own network.
 *
 * A response arrives as a stream with back-pressure; a reader that leaves it ends it. A request body is sent as a
 * whole. The server asks for content codings, and decodes them.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import { promise } from "../../../core/client/Promises.ts"
import type { Header, HttpOptions, HttpStream } from "../../../core/client/RemoteHttp.ts"
import { concat } from "../../../core/protocol/Bytes.ts"

export const make = ({ http }: ExecClient): HttpClient.HttpClient =>
  HttpClient.make((request, url, signal) =>
    Effect.gen(function* () {
      const options = yield* Effect.map(toBody(request), (given) => toOptions(request, url, given))
      const scope = yield* Scope.make()
      const close = Scope.close(scope, Exit.void)
      const answer = yield* http.stream(options).pipe(
        Scope.provide(scope),
        Effect.mapError((cause) => failed(request, "Transport", cause)),
        Effect.onError(() => close),
      )
      signal.addEventListener("abort", () => void Effect.runFork(close), { once: true })
      return yield* Effect.try({
        try: () => HttpClientResponse.fromWeb(request, toResponse(answer, close)),
        catch: (cause) => failed(request, "Transport", cause),
      })
    }),
  )

const failed = (request: HttpClientRequest, reason: "Transport" | "Encode", cause: unknown) => {
  const { TransportError, EncodeError, HttpClientError: Failure } = HttpClientError
  const given = { request, cause }
  return new Failure({ reason: reason === "Encode" ? new EncodeError(given) : new TransportError(given) })
}

/** A body, and headers that it brings. */
interface Given {
  readonly bytes?: Uint8Array
  readonly type?: string | undefined
}

const toBody = (request: HttpClientRequest): Effect.Effect<Given, HttpClientError.HttpClientError> => {
  const { body } = request
  const refused = (cause: unknown) => failed(request, "Encode", cause)
  switch (body._tag) {
    case "Empty":
      return Effect.succeed({})
    case "Uint8Array":
      return Effect.succeed({ bytes: body.body, type: body.contentType })
    case "Stream":
      return Effect.mapBoth(Stream.runCollect(body.stream), {
        onFailure: refused,
        onSuccess: (pieces) => ({ bytes: concat(pieces), type: body.contentType }),
      })
    case "FormData":
      return encoded(body.formData, refused)
    case "Raw":
      return encoded(body.body as WebBody, refused)
  }
}

type WebBody = ConstructorParameters<typeof Response>[0]

/** As `fetch` would send it. */
const encoded = (body: WebBody, refused: (cause: unknown) => HttpClientError.HttpClientError) =>
  Effect.tryPromise({
    try: async () => {
      const whole = new Response(body)
      const type = whole.headers.get("content-type") ?? undefined
      return { bytes: new Uint8Array(await whole.arrayBuffer()), type }
    },
    catch: refused,
  })

const toOptions = (request: HttpClientRequest, url: URL, { bytes, type }: Given): HttpOptions => {
  const headers: Array<Header> = Object.entries(request.headers)
    .filter(([name]) => name !== "content-length")
    .map(([name, value]) => ({ name, value }))
  const typed = headers.some(({ name }) => name === "content-type")
  if (type !== undefined && !typed) headers.push({ name: "content-type", value: type })
  return {
    method: request.method,
    url: url.href,
    headers,
    ...(bytes === undefined ? {} : { body: bytes }),
  }
}

/** Statuses whose responses have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

const toResponse = ({ status, headers, next }: HttpStream, close: Effect.Effect<void>): Response => {
  const named = new Headers()
  for (const { name, value } of headers) named.append(name, value)
  const empty = bodiless.has(status)
  if (empty) Effect.runFork(close)
  return new Response(empty ? null : toWebStream(next, close), { status, headers: named })
}

const toWebStream = (next: HttpStream["next"], close: Effect.Effect<void>): ReadableStream<Uint8Array> => {
  const end = () => promise(close)
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const pieces = await promise(next)
        if (pieces === undefined) {
          await end()
          return controller.close()
        }
        for (const piece of pieces) controller.enqueue(piece)
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
