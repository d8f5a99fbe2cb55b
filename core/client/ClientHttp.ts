/// <reference lib="esnext.disposable" preserve="true" />
/** `RemoteHttp` for programs without Effect. Failures are thrown as `ClientError`. */
import { utf8Decoder } from "../protocol/Bytes.ts"
import { boundary } from "./CallSite.ts"
import type { CallOptions } from "./GivingUp.ts"
import { ending, loop, promise, type Promised, promised, scoped } from "./Promises.ts"
import type { Head, RemoteHttp, HttpOptions } from "./RemoteHttp.ts"

/** A response whose body is an async iterable of its bytes, readable once. Leaving the loop drops the rest. */
export interface ClientHttpStream extends Head, AsyncIterable<Uint8Array>, AsyncDisposable {
  /** The body as UTF-8 text, in pieces that never cut a character. */
  text(how?: CallOptions): AsyncIterable<string>
  /** Drops the rest of the body. */
  close(how?: CallOptions): Promise<void>
}

/** HTTP requests that the server makes. Every status is a response, also 404 and 500. */
export interface ClientHttp extends Promised<Pick<RemoteHttp, "request">> {
  /**
   * Resolves as soon as the head has arrived. A body that is not read holds up the whole connection: read it, or
   * close it.
   */
  stream(options: HttpOptions, how?: CallOptions): Promise<ClientHttpStream>
}

/**
 * `ExecClient.http` as promises.
 * @internal
 */
export const toClientHttp = (http: RemoteHttp): ClientHttp => boundary(promises(http))

const promises = (http: RemoteHttp): ClientHttp => ({
  ...promised(http, { request: 1 }, {}),
  stream: async (options, how) => {
    const [{ body, next: _, ...head }, end] = await promise(scoped(http.stream(options)), how)
    const close = (how?: CallOptions) => ending(end, how)
    async function* bytes(how?: CallOptions): AsyncGenerator<Uint8Array, void, void> {
      try {
        yield* loop(body, how)
      } finally {
        await close()
      }
    }
    return boundary<ClientHttpStream>({
      ...head,
      text: (how) => decoded(bytes(how)),
      close,
      [Symbol.asyncIterator]: () => bytes(),
      [Symbol.asyncDispose]: () => close(),
    })
  },
})

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = utf8Decoder()
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true })
    if (text !== "") yield text
  }
  const rest = decoder.decode()
  if (rest !== "") yield rest
}
