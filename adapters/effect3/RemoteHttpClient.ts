/**
 * `HttpClient` of `@effect/platform` whose requests the server makes, from its own network: the one over `fetch`, with
 * a `fetch` of the client.
 *
 * A response arrives as a stream with back-pressure; a reader that leaves it ends it. A request body is sent as a
 * whole. The server asks for content codings, and decodes them.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import type { Client, ClientHttpStream } from "../node/index.ts"

export const make = (client: Client): Effect.Effect<HttpClient.HttpClient> =>
  HttpClient.HttpClient.pipe(
    Effect.map(HttpClient.transform(Effect.provideService(FetchHttpClient.Fetch, toFetch(client)))),
    Effect.provide(FetchHttpClient.layer),
  )

/** Statuses whose responses have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

const toFetch =
  ({ http }: Client): typeof fetch =>
  async (url, { method = "GET", headers, body, signal } = {}) => {
    const sent = new Headers(headers)
    const whole = body == null ? undefined : new Response(body)
    const type = whole?.headers.get("content-type")
    if (type != null && !sent.has("content-type")) sent.set("content-type", type)
    const options = {
      method,
      url: String(url),
      headers: [...sent].map(([name, value]) => ({ name, value })),
      ...(whole === undefined ? {} : { body: new Uint8Array(await whole.arrayBuffer()) }),
    }
    const answer = await http.stream(options, signal == null ? {} : { signal })
    const named = new Headers()
    for (const { name, value } of answer.headers) named.append(name, value)
    const { status } = answer
    if (!bodiless.has(status)) return new Response(toWebStream(answer), { status, headers: named })
    await answer.close()
    return new Response(null, { status, headers: named })
  }

const toWebStream = (answer: ClientHttpStream): ReadableStream<Uint8Array> => {
  const pieces = answer[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => answer.close(),
    },
    { highWaterMark: 0 },
  )
}
