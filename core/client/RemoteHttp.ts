/**
 * HTTP requests that the server makes, from where it is: whole answers, or bodies as streams.
 *
 * Statuses are answers, also 404 and 500. A request is never sent twice: one whose answer was lost with the connection
 * fails with `Disconnected`, and so does every body that was on its way.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { toBase64, utf8, utf8Decoder } from "../protocol/Bytes.ts"
import type { ResponseHeader } from "../protocol/HttpRequest.ts"
import type { Call, Encoded } from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import type { Body, HttpBodies } from "./HttpBodies.ts"
import type { NextId } from "./Ids.ts"

/** `valueEnvVar` names a variable of the server that follows `value`. With the capability `httpHeaderEnvVars`. */
export interface Header {
  readonly name: string
  readonly value: string
  readonly valueEnvVar?: string
}

export interface HttpOptions {
  readonly url: string
  /** Default: GET. */
  readonly method?: string
  /** By name, or as a list, which may repeat names. */
  readonly headers?: Readonly<Record<string, string>> | ReadonlyArray<Header>
  readonly body?: Uint8Array | string
  /** For the whole exchange, the body included. Default: none. */
  readonly timeoutMs?: number
  /** What becomes of a redirect. Default: `follow`. */
  readonly redirect?: "follow" | "stop"
}

/** What every response has at once. */
export interface Head {
  readonly status: number
  /** In the order of the wire, with names in lower case. */
  readonly headers: ReadonlyArray<ResponseHeader>
  /** The first header of that name, in any case. */
  readonly header: (name: string) => string | undefined
}

export interface HttpResponse extends Head {
  readonly body: Uint8Array
  readonly text: () => string
  /** The body as JSON; throws if it is none. */
  readonly json: () => unknown
}

export interface HttpStream extends Head {
  /** The body, once. */
  readonly body: Stream.Stream<Uint8Array, ClientError>
  /** The next pieces, for loops that are no `Stream`; undefined behind the last. */
  readonly next: Body["next"]
}

export interface RemoteHttp {
  /** The whole response. */
  readonly request: (options: HttpOptions) => Effect.Effect<HttpResponse, ClientError>
  /** The response as soon as its head is there. The scope lets go of the body. */
  readonly stream: (options: HttpOptions) => Effect.Effect<HttpStream, ClientError, Scope.Scope>
}

export interface Client {
  readonly call: Call
  readonly bodies: HttpBodies
  readonly nextId: NextId
}

export const make = ({ call, bodies, nextId }: Client): RemoteHttp => ({
  request: (options) =>
    Effect.suspend(() => call("http/request", toParams(options, nextId("http")))).pipe(
      Effect.map(({ status, headers, bodyBase64: body }) => {
        const text = () => utf8Decoder().decode(body)
        return { ...head(status, headers), body, text, json: () => JSON.parse(text()) as unknown }
      }),
    ),
  stream: (options) =>
    Effect.gen(function* () {
      const id = nextId("http")
      const body = yield* Effect.acquireRelease(bodies.expect(id), ({ close }) => Effect.sync(close))
      const { status, headers } = yield* call("http/request", {
        ...toParams(options, id),
        streamResponse: true,
      })
      return { ...head(status, headers), body: toStream(body), next: body.next }
    }),
})

const toParams = (options: HttpOptions, requestId: string): Encoded<"http/request"> => {
  const { method = "GET", url, headers = [], body, timeoutMs, redirect } = options
  return {
    method,
    url,
    requestId,
    headers: isList(headers) ? headers : Object.entries(headers).map(([name, value]) => ({ name, value })),
    bodyBase64: body === undefined ? null : toBase64(typeof body === "string" ? utf8.encode(body) : body),
    timeoutMs: timeoutMs ?? null,
    ...(redirect === undefined ? {} : { redirectPolicy: redirect }),
  }
}

const isList = (headers: NonNullable<HttpOptions["headers"]>): headers is ReadonlyArray<Header> =>
  Array.isArray(headers)

const head = (status: number, headers: ReadonlyArray<ResponseHeader>): Head => ({
  status,
  headers,
  header: (wanted) => headers.find(({ name }) => name === wanted.toLowerCase())?.value,
})

const toStream = ({ next }: Body): Stream.Stream<Uint8Array, ClientError> =>
  Stream.repeatEffectChunkOption(
    Effect.matchEffect(next, {
      onFailure: (error) => Effect.fail(Option.some(error)),
      onSuccess: (pieces) =>
        pieces === undefined ? Effect.fail(Option.none()) : Effect.succeed(Chunk.unsafeFromArray(pieces)),
    }),
  )
