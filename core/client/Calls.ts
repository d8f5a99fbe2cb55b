/** Typed calls over the method table: params as they are on the wire, results decoded. */
import * as Effect from "effect/Effect"
import * as FromServer from "../protocol/decoding/FromServer.ts"
import type * as Methods from "../protocol/Methods.ts"
import type * as Shape from "../protocol/shape/index.ts"
import * as Suggestion from "../protocol/Suggestion.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import type { Asking, CurrentConnection } from "./CurrentConnection.ts"
import * as OptionNames from "./OptionNames.ts"

/** The params of a method as on the wire: plain JSON. */
export type Encoded<M extends Methods.RequestName> = Shape.Encoded<Methods.Requests[M]["params"]>

/** Every method of the wire: what `call` takes for it, and what it resolves with. */
export type Calls = {
  readonly [M in Methods.RequestName]: {
    readonly params: WithBytes<Encoded<M>>
    readonly result: Methods.ResultOf<M>
  }
}

/** Params in which a `chunk` may also be the bytes that its base64 means. */
export type WithBytes<P> = P extends { readonly chunk: string }
  ? { readonly [K in keyof P]: K extends "chunk" ? string | Uint8Array : P[K] }
  : P

/** The params of a method; a `chunk` may also be the bytes that its base64 means. */
export type Params<M extends keyof Calls> = Calls[M]["params"]

/** Sends a request of the method table; see `ExecClient.call`. */
export type Call = <M extends Methods.RequestName>(
  method: M,
  params: Params<M>,
) => Effect.Effect<Methods.ResultOf<M>, ClientError>

/** The same, with what else there is to the request. */
export type BoundCall = <M extends Methods.RequestName>(
  method: M,
  params: Params<M>,
  asking?: Asking,
) => Effect.Effect<Methods.ResultOf<M>, ClientError>

/** Sends a request whose answer does not matter, on the connection that is there or not at all. */
export type Tell = <M extends Methods.RequestName>(method: M, params: Encoded<M>) => void

/**
 * `ask` sends a request and waits for its result; `repeatable` says that it is safe to send twice. A result that does
 * not decode fails its own call with `Protocol`, and the connection goes on.
 */
export const make =
  (ask: CurrentConnection["ask"]): BoundCall =>
  (method, params, asking) =>
    Effect.suspend(() =>
      FromServer.isRequest(method)
        ? Effect.flatMap(ask(method, params, FromServer.isRepeatable(method, params), asking), (json) =>
            Effect.mapError(Effect.fromResult(FromServer.result(method, json)), (fault) =>
              clientError("Protocol", `malformed ${method} result: ${fault}`),
            ),
          )
        : Effect.fail(unknownMethod(method)),
    )

const unknownMethod = (method: unknown): ClientError => {
  const hint = Suggestion.ofWord(String(method), FromServer.names)
  return OptionNames.invalid(`call knows no method ${OptionNames.shown(method)}${hint}`)
}
