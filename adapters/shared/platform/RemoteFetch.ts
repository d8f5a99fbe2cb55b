/**
 * A `fetch` whose requests the server of a client makes, from its own network. It is of no Effect, for those of two
 * lines have it.
 *
 * A response arrives as a stream with back-pressure; a reader that leaves it ends it. A request body is sent as a
 * whole. The server asks for content codings, and decodes them.
 */
import type { ClientHttp, ClientHttpStream } from "../../../core/client/ClientHttp.ts"

/** Statuses whose responses have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

export const make =
  (http: ClientHttp): typeof fetch =>
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
    signal?.addEventListener("abort", () => void answer.close(), { once: true })
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
