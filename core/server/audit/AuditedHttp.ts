/** HTTP requests in the audit log: before each is sent, and when the body of its response has ended. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type HttpClientService, HttpError, type Request, type Response } from "../../http/HttpClient.ts"
import type { Scribe } from "./AuditScribe.ts"

/** The same client, audited. */
export const make = (client: HttpClientService, scribe: Scribe): HttpClientService => ({
  ...client,
  send: (request) => send(client, scribe, request),
})

const send = (
  client: HttpClientService,
  scribe: Scribe,
  request: Request,
): Effect.Effect<Response, HttpError, Scope.Scope> =>
  Effect.gen(function* () {
    const { method, url } = request
    const about = { event: "http", operation: scribe.nextOperation(), method, url: publicUrl(url) } as const
    yield* Effect.mapError(
      scribe.admit({ ...about, outcome: "begun" }),
      ({ message, cause }) => new HttpError({ reason: "Unaudited", message, url, cause }),
    )
    const seen: Seen = { status: undefined, bytes: 0, failure: undefined, whole: false }
    const fail = ({ reason }: HttpError) =>
      Effect.sync(() => {
        seen.failure = reason
      })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        // A body that was not read to its end was given up: by the client, a deadline or a limit.
        const { status, bytes, failure, whole } = seen
        const reason = failure ?? (whole ? undefined : "Interrupted")
        const outcome = reason === undefined ? "done" : "failed"
        scribe.note({ ...about, outcome, status, bytes, reason })
      }),
    )
    const response = yield* Effect.tapError(client.send(request), fail)
    seen.status = response.status
    const count = (piece: Uint8Array | undefined) =>
      Effect.sync(() => {
        if (piece === undefined) seen.whole = true
        else seen.bytes += piece.length
      })
    return { ...response, read: response.read.pipe(Effect.tap(count), Effect.tapError(fail)) }
  })

/** The state of an exchange so far. */
interface Seen {
  status: number | undefined
  /** Of the body. */
  bytes: number
  /** The reason of its failure. */
  failure: string | undefined
  /** The body was read to its end. */
  whole: boolean
}

/** A URL without credentials, query and fragment, which may hold secrets. A query leaves its question mark. */
export const publicUrl = (url: string): string => {
  const [, scheme = "", , authority = "", path = "", query = ""] =
    /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(\??)/iu.exec(url) ?? []
  return `${scheme}${authority}${path}${query}`
}
