/** Sends a request and follows its redirects. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type HttpClientService, HttpError, type Request, type Response } from "./HttpClient.ts"
import * as Redirect from "./Redirect.ts"

/**
 * Sends a request and, unless `redirects` is `stop`, the requests that its redirects lead to; returns the last answer.
 */
export const send = (
  client: HttpClientService,
  first: Request,
  redirects: "follow" | "stop",
): Effect.Effect<Response, HttpError, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    let request = first
    for (let followed = 0; ; followed++) {
      const hop = yield* Scope.fork(scope)
      const response = yield* Scope.provide(client.send(request), hop)
      if (redirects === "stop") return response
      const next = Redirect.next(request, response)
      if (Result.isSuccess(next) && next.success === undefined) return response
      yield* discard(response)
      yield* Scope.close(hop, Exit.void)
      if (Result.isFailure(next)) return yield* failed("RedirectScheme", request, next.failure)
      if (followed === Redirect.most) return yield* failed("TooManyRedirects", request)
      request = next.success ?? request
    }
  })

/** The most bytes of a redirect's body that are read so that its connection can be reused. */
const maxDiscarded = 64 * 1024

const discard = ({ read }: Response) =>
  Effect.gen(function* () {
    for (let size = 0; size < maxDiscarded;) {
      const bytes = yield* read
      if (bytes === undefined) return
      size += bytes.length
    }
  }).pipe(Effect.ignore, Effect.timeoutOption("100 millis"))

const failed = (
  reason: HttpError["reason"],
  { url }: Request,
  detail?: string,
): Effect.Effect<never, HttpError> =>
  Effect.fail(new HttpError({ reason, message: reason, url, ...(detail === undefined ? {} : { detail }) }))
