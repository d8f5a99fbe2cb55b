/**
 * `http/request`: one HTTP exchange under a deadline, its body in the answer or streamed in frames.
 *
 * A streamed body is read only as fast as the connection takes its frames: a client that does not read causes
 * back-pressure on the origin, not buffering here. The answer precedes the frames. Exchanges end with the connection.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as FollowRedirects from "../../http/FollowRedirects.ts"
import { brokenBody, HttpError, type Request, type Response } from "../../http/HttpClient.ts"
import * as OutgoingRequest from "../../http/OutgoingRequest.ts"
import { concat } from "../../protocol/Bytes.ts"
import { makeFrames, maxFrameBytes, maxRequestIdLength } from "./wire.ts"
import { LimitError } from "../../protocol/Limits.ts"
import type { ParamsOf } from "../../protocol/Methods.ts"
import { refuseParams } from "../../protocol/ParamsError.ts"
import type { RequestContext } from "../../rpc/Router.ts"
import type { Connection, Failure } from "../Feature.ts"

type Params = ParamsOf<"http/request">

/** Limits an effect to the remaining time of an exchange, after which it fails with `error`. */
type Deadline = <A, E>(effect: Effect.Effect<A, E>, error: () => HttpError) => Effect.Effect<A, E | HttpError>

export const make = ({ server, client, limits, send: toPeer, scope, fork }: Connection) => {
  /** The ids of streamed bodies that have not ended, including those whose requests are not answered yet. */
  const streams = new Set<string>()

  const reserve = (id: string): Effect.Effect<void, Failure> => {
    const name = "http/request streamResponse requestId"
    if (streams.has(id)) return refuseParams(`${name} \`${id}\` is already active`)
    if (id.length > maxRequestIdLength)
      return refuseParams(`${name} is longer than ${maxRequestIdLength} characters`)
    const { httpStreams: value } = limits
    if (streams.size >= value) return Effect.fail(new LimitError({ limit: "httpStreams", value }))
    return Effect.sync(() => streams.add(id))
  }

  const stream = (params: Params, request: Request, { afterReply, onCancel }: RequestContext) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { requestId: id } = params
        yield* reserve(id)
        const own = yield* Scope.fork(scope)
        yield* Scope.addFinalizer(
          own,
          Effect.sync(() => streams.delete(id)),
        )
        const deadline = yield* startDeadline(params)
        const sent = Scope.provide(FollowRedirects.send(client, request, params.redirectPolicy), own)
        const response = yield* deadline(sent, () => timedOut(params, request)).pipe(
          restore,
          Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
        )
        const frames = makeFrames(id)
        const body = deadline(
          forEachPiece(response, (bytes) => toPeer(() => frames.delta(bytes))),
          () => broken(request),
        )
        const send = () =>
          untilCancelled(body, onCancel, request).pipe(
            Effect.match({ onSuccess: () => null, onFailure: () => brokenBody }),
            // The last frame tells the client that it may use the id again, so free it before.
            Effect.tap(() => Scope.close(own, Exit.void)),
            Effect.flatMap((error) => toPeer(() => frames.done(error))),
          )
        afterReply((answered) => void fork(answered ? send() : Scope.close(own, Exit.void)))
        return { status: response.status, headers: response.headers, bodyBase64: new Uint8Array() }
      }),
    )

  const whole = (params: Params, request: Request) =>
    Effect.scoped(
      Effect.gen(function* () {
        const deadline = yield* startDeadline(params)
        const own = yield* Effect.scope
        const sent = Scope.provide(FollowRedirects.send(client, request, params.redirectPolicy), own)
        const response = yield* deadline(sent, () => timedOut(params, request))
        const pieces: Array<Uint8Array> = []
        let size = 0
        const keep = (bytes: Uint8Array) => {
          pieces.push(bytes)
          size += bytes.length
          const { httpBodyBytes: value } = limits
          return size > value ? Effect.fail(new LimitError({ limit: "httpBodyBytes", value })) : Effect.void
        }
        yield* deadline(forEachPiece(response, keep), () => broken(request))
        const { status, headers } = response
        return { status, headers, bodyBase64: concat(pieces) }
      }),
    )

  return {
    "http/request": (params: Params, context: RequestContext) =>
      Effect.gen(function* () {
        const request = yield* Result.match(
          OutgoingRequest.fromParams(params, server.host.env, client.codings),
          {
            onFailure: refuseParams,
            onSuccess: Effect.succeed,
          },
        )
        return yield* params.streamResponse ? stream(params, request, context) : whole(params, request)
      }),
  }
}

/** Starts the clock of an exchange. */
const startDeadline = ({ timeoutMs }: Params): Effect.Effect<Deadline> =>
  Effect.map(Clock.currentTimeMillis, (since) => (effect, onTimeout) => {
    if (timeoutMs == null) return effect
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.timeoutOrElse(effect, {
        duration: Math.max(0, since + timeoutMs - now),
        orElse: () => Effect.fail(onTimeout()),
      }),
    )
  })

const timedOut = ({ timeoutMs }: Params, { url }: Request) =>
  new HttpError({ reason: timeoutMs === 0 ? "Timeout" : "Send", message: "timed out", url })

const broken = ({ url }: Request) => new HttpError({ reason: "Body", message: "timed out", url })

/** Fails when the request is cancelled, which is listened for from now on. */
const untilCancelled = <E>(
  body: Effect.Effect<void, E>,
  onCancel: RequestContext["onCancel"],
  { url }: Request,
): Effect.Effect<void, E | HttpError> => {
  const stop = Deferred.makeUnsafe<never, HttpError>()
  const forget = onCancel(() =>
    Deferred.doneUnsafe(stop, Effect.fail(new HttpError({ reason: "Body", message: "cancelled", url }))),
  )
  return Effect.ensuring(Effect.raceFirst(body, Deferred.await(stop)), Effect.sync(forget))
}

/** Calls `take` with the body in pieces that fit into a frame. */
const forEachPiece = <E>(
  { read }: Response,
  take: (bytes: Uint8Array) => Effect.Effect<void, E>,
): Effect.Effect<void, E | HttpError> =>
  Effect.gen(function* () {
    for (let bytes = yield* read; bytes !== undefined; bytes = yield* read) {
      for (let at = 0; at < bytes.length; at += maxFrameBytes) {
        yield* take(bytes.subarray(at, at + maxFrameBytes))
      }
    }
  })
