/// <reference lib="esnext.disposable" />
/** HTTP requests of the server for programs without Effect. Failures are thrown as `ClientError`. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { utf8Decoder } from "../protocol/Bytes.ts"
import { promise } from "./Promises.ts"
import type { Head, RemoteHttp, HttpOptions, HttpResponse } from "./RemoteHttp.ts"

/** A response whose body comes in pieces, once. Leaving a loop over it, or `close`, lets go of the rest. */
export interface ClientHttpStream extends Head, AsyncIterable<Uint8Array>, AsyncDisposable {
  /** The body as text, in pieces; a character is never cut. */
  text(): AsyncIterable<string>
  close(): Promise<void>
}

export interface ClientHttp {
  /** The whole response. */
  request(options: HttpOptions): Promise<HttpResponse>
  /** The response as soon as its head is there. A body that nobody reads holds up the connection: read it, or close it. */
  stream(options: HttpOptions): Promise<ClientHttpStream>
}

export const toClientHttp = (http: RemoteHttp): ClientHttp => ({
  request: (options) => promise(http.request(options)),
  stream: (options) =>
    promise(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const {
          next,
          body: _,
          ...head
        } = yield* http.stream(options).pipe(
          Scope.extend(scope),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
        )
        const close = () => promise(Scope.close(scope, Exit.void))
        async function* bytes(): AsyncGenerator<Uint8Array, void, void> {
          try {
            for (let batch = await promise(next); batch !== undefined; batch = await promise(next))
              yield* batch
          } finally {
            await close()
          }
        }
        return {
          ...head,
          text: () => decoded(bytes()),
          close,
          [Symbol.asyncIterator]: bytes,
          [Symbol.asyncDispose]: close,
        }
      }),
    ),
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
