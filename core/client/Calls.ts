/** Typed calls over the method table: params as they are on the wire, results decoded. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as DecodeError from "../protocol/DecodeError.ts"
import * as Methods from "../protocol/Methods.ts"
import * as Suggestion from "../protocol/Suggestion.ts"
import { ClientError } from "./ClientError.ts"
import type { Asking, CurrentConnection } from "./CurrentConnection.ts"
import * as OptionNames from "./OptionNames.ts"

/** The params of a method as on the wire: plain JSON. */
export type Encoded<M extends Methods.RequestName> = Schema.Schema.Encoded<Methods.Requests[M]["params"]>

/** The same, but a `chunk` may also be the bytes that its base64 means. */
export type Params<M extends Methods.RequestName> =
  Encoded<M> extends { readonly chunk: string }
    ? Omit<Encoded<M>, "chunk"> & { readonly chunk: string | Uint8Array }
    : Encoded<M>

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
      Object.hasOwn(Methods.requests, method)
        ? Effect.flatMap(ask(method, params, isRepeatable(method, params), asking), (json) => {
            const result = decoderOf(method)(json)
            if (Either.isRight(result)) return Effect.succeed(result.right)
            const fault = DecodeError.toText(ParseResult.parseError(result.left))
            return Effect.fail(
              new ClientError({ reason: "Protocol", message: `malformed ${method} result: ${fault}` }),
            )
          })
        : Effect.fail(unknownMethod(method)),
    )

const unknownMethod = (method: unknown): ClientError => {
  const hint = Suggestion.ofWord(String(method), Object.keys(Methods.requests))
  return OptionNames.invalid(`call knows no method ${OptionNames.shown(method)}${hint}`)
}

const isRepeatable = <M extends Methods.RequestName>(method: M, params: Params<M>): boolean => {
  const { repeatable } = Methods.requests[method] as unknown as Methods.RequestMethod<
    unknown,
    Params<M>,
    unknown,
    unknown
  >
  return repeatable?.(params) === true
}

const decoderOf = <M extends Methods.RequestName>(method: M) => {
  // The rows have different types; `method` selects one.
  const { result } = Methods.requests[method] as unknown as Methods.RequestMethod<
    unknown,
    unknown,
    Methods.ResultOf<M>,
    unknown
  >
  return ParseResult.decodeUnknownEither(result)
}
