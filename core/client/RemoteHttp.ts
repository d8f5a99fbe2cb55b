/**
 * HTTP requests that the server makes from its own network: whole responses, or bodies as streams.
 *
 * Every status is a response, also 404 and 500. A request is never sent twice: if its response, or the rest of its
 * body, is lost with the connection, it fails with `Disconnected`.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { toBase64, utf8Decoder } from "../protocol/Bytes.ts"
import type { ResponseHeader, BodyDeltaParams } from "../features/http/wire.ts"
import type { BoundCall, Encoded } from "./Calls.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import * as Content from "./Content.ts"
import * as EventFeed from "./EventFeed.ts"
import * as HttpHeaders from "./HttpHeaders.ts"
import type { NextId } from "./Ids.ts"
import * as OptionNames from "./OptionNames.ts"
import { named } from "./SystemFailure.ts"
import * as Cause from "effect/Cause"
import * as Queue from "effect/Queue"
import type { Activity } from "./Activity.ts"
import type { FlowControl } from "./FlowControl.ts"

export type { Header, HttpHeaders } from "./HttpHeaders.ts"

/** An HTTP request. */
export interface HttpOptions {
  /** An absolute URL, as the server reaches it. */
  readonly url: string
  /** Default: GET. */
  readonly method?: string
  /** All that `fetch` takes; or a list of headers. Default: none. */
  readonly headers?: HttpHeaders.HttpHeaders
  /** A string is sent as UTF-8. Null, as programs with `fetch` have it, and the default are none. */
  readonly body?: Uint8Array | string | null
  /** Deadline of the whole exchange, including the body, in milliseconds. Default: none. */
  readonly timeoutMs?: number
  /** `follow`: the server follows redirects; `stop`: it returns them as responses. Default: `follow`. */
  readonly redirect?: "follow" | "stop"
}

const names = {
  url: true,
  method: true,
  headers: true,
  body: true,
  timeoutMs: true,
  redirect: true,
} satisfies OptionNames.Names<HttpOptions>

/** Status and headers of a response. */
export interface Head {
  /** The HTTP status code. */
  readonly status: number
  /** In the order of the wire, with names in lower case. */
  readonly headers: ReadonlyArray<ResponseHeader>
  /** The value of the first header with that name, in any case. */
  readonly header: (name: string) => string | undefined
}

/** A whole response. */
export interface HttpResponse extends Head {
  /** As the server answers it: decoded from gzip, and from zstd where it can; in any other coding as it came. */
  readonly body: Uint8Array
  /** The body as UTF-8. */
  readonly text: () => string
  /** The body as JSON. Throws a `SyntaxError` if it is not JSON. */
  readonly json: () => unknown
}

/** A response whose body is a stream. */
export interface HttpStream extends Head {
  /** The body; can be run once. Fails with `BodyBroken`, `Protocol` or `Disconnected`. */
  readonly body: Stream.Stream<Uint8Array, ClientError>
  /** The next pieces of the body, for loops that do not use `Stream`; undefined after the last. */
  readonly next: Body["next"]
}

/** HTTP requests that the server makes. */
export interface RemoteHttp {
  /** Completes with the whole response. */
  readonly request: (options: HttpOptions) => Effect.Effect<HttpResponse, ClientError>
  /**
   * Completes as soon as the head has arrived. The end of the scope drops the rest of the body, and ends the exchange
   * with the origin where the server announces `requestCancel`.
   */
  readonly stream: (options: HttpOptions) => Effect.Effect<HttpStream, ClientError, Scope.Scope>
}

/**
 * The parts of the client that requests use.
 * @internal
 */
export interface Options {
  readonly call: BoundCall
  readonly bodies: HttpBodies
  readonly nextId: NextId
}

/**
 * `ExecClient.http`.
 * @internal
 */
export const make = ({ call, bodies, nextId }: Options): RemoteHttp => ({
  request: (options) =>
    toParams("http.request", options, nextId).pipe(
      Effect.flatMap((params) => call("http/request", params)),
      Effect.map(({ status, headers, bodyBase64: body }) => {
        const text = () => utf8Decoder().decode(body)
        return { ...head(status, headers), body, text, json: () => JSON.parse(text()) as unknown }
      }),
      named(asked("http.request", options)),
    ),
  stream: (options) =>
    Effect.gen(function* () {
      const params = yield* toParams("http.stream", options, nextId)
      const { requestId: id } = params
      let cancel = nothing
      const drop = (body: Body) => {
        if (body.close()) cancel()
      }
      const body = yield* Effect.acquireRelease(bodies.expect(id), (body) => Effect.sync(() => drop(body)))
      const { status, headers } = yield* call(
        "http/request",
        { ...params, streamResponse: true },
        { sent: (tell) => (cancel = tell) },
      ).pipe(Effect.tapError(() => Effect.sync(() => (cancel = nothing))))
      const next = named(asked("http.stream", options))(body.next)
      return { ...head(status, headers), body: EventFeed.fromBatches(next), next }
    }).pipe(named(asked("http.stream", options))),
})

const nothing = () => {}

/** The names in the errors of a request: the URL may have secrets in its path. */
const asked = (method: string, options: HttpOptions | undefined) => {
  const [, host] = /^[a-z]+:\/\/(?:[^/?#@]*@)?([^/?#]+)/i.exec(String(options?.url)) ?? []
  const what = String(options?.method ?? "GET")
  return {
    method,
    ...(host === undefined ? {} : { host }),
    place: host === undefined ? what : `${what} ${host}`,
  }
}

/** The params of a request, with a fresh id; fails for options that cannot be. */
const toParams = (
  what: string,
  options: HttpOptions,
  nextId: NextId,
): Effect.Effect<Encoded<"http/request">, ClientError> =>
  Effect.suspend(() => {
    const unknown = OptionNames.refusal(what, names, options ?? null)
    const refusal = unknown ?? Content.refusal("body", options.body ?? "")
    if (refusal !== undefined) return Effect.fail(refusal)
    const { method = "GET", url, body, timeoutMs, redirect } = options
    return Effect.map(Effect.fromResult(HttpHeaders.toList(options.headers)), (headers) => ({
      method,
      url,
      requestId: nextId("http"),
      headers,
      bodyBase64: body == null ? null : toBase64(Content.toBytes(body)),
      timeoutMs: timeoutMs ?? null,
      ...(redirect === undefined ? {} : { redirectPolicy: redirect }),
    }))
  })

const head = (status: number, headers: ReadonlyArray<ResponseHeader>): Head => ({
  status,
  headers,
  header: (wanted) => headers.find(({ name }) => name === wanted.toLowerCase())?.value,
})

/** The body of one response. */
export interface Body {
  /** Waits for the next pieces, at least one; undefined after the last. */
  readonly next: Effect.Effect<ReadonlyArray<Uint8Array> | undefined, ClientError>
  /** Drops the rest; may be called at any time. True if more was to come. */
  readonly close: () => boolean
}

/** The streamed bodies of one client. */
export type HttpBodies = ReturnType<typeof makeBodies>

interface Feed {
  readonly accept: (frame: BodyDeltaParams) => void
  readonly end: (error?: ClientError) => void
}

/** @internal Bodies of the exchanges of one client. */
export const makeBodies = (flow: FlowControl, activity: Activity) => {
  const feeds = new Map<string, Feed>()

  /** Expects the frames of a request. Called before the request is sent. */
  const expect = (requestId: string) =>
    Effect.map(Queue.make<Uint8Array, ClientError | Cause.Done>(), (queue): Body => {
      const backlog = flow.backlog()
      let seq = 0
      const end = (error?: ClientError) => {
        feeds.delete(requestId)
        Queue.failCauseUnsafe(queue, Cause.fail(error ?? Cause.Done()))
      }
      const accept = (frame: BodyDeltaParams) => {
        seq += 1
        if (frame.seq !== seq) return end(outOfOrder(frame, seq))
        if (frame.deltaBase64.length > 0) {
          backlog.add(frame.deltaBase64.length)
          Queue.offerUnsafe(queue, frame.deltaBase64)
        }
        if (frame.error != null) end(clientError("BodyBroken", frame.error))
        else if (frame.done) end()
      }
      feeds.set(requestId, { accept, end })
      const next = activity.during(Queue.takeAll(queue)).pipe(
        Effect.map((batch) => {
          backlog.add(-batch.reduce((sum, { length }) => sum + length, 0))
          return batch
        }),
        Effect.catchTag("Done", () => Effect.succeed(undefined)),
      )
      return {
        next,
        close: () => {
          const isOpen = feeds.has(requestId)
          end()
          backlog.end()
          return isOpen
        },
      }
    })

  return {
    expect,
    /** Takes a frame as it arrives. */
    accept: (frame: BodyDeltaParams) => feeds.get(frame.requestId)?.accept(frame),
    /** Fails all bodies that have not ended. */
    fail: (error: ClientError) => {
      for (const { end } of feeds.values()) end(error)
    },
  }
}

const outOfOrder = ({ requestId, seq }: BodyDeltaParams, expected: number) =>
  clientError("Protocol", `the body of ${requestId} came out of order: frame ${seq} instead of ${expected}`)
