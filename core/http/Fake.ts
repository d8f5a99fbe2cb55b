/** A scripted HTTP client for tests. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { HttpClient, HttpError, type Request, type Response } from "./HttpClient.ts"

export type Answer = (request: Request) => Effect.Effect<Response, HttpError, Scope.Scope>

/** A client that answers with `answer`; without it every request fails. */
export const layer = (answer: Answer = refused): Layer.Layer<HttpClient> =>
  Layer.succeed(HttpClient, { send: (request) => Effect.suspend(() => answer(request)) })

/** A response whose body is read in these pieces. */
export const response = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
  pieces: ReadonlyArray<Uint8Array> = [],
): Response => {
  let at = 0
  return {
    status,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    read: Effect.sync(() => pieces[at++]),
  }
}

const refused: Answer = ({ url }) =>
  Effect.fail(new HttpError({ reason: "Send", message: "there is no origin", url }))
