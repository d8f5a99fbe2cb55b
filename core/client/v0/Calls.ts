/** Requests and notifications of v0, typed by its method table: params as on the wire, results decoded. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as DecodeError from "../../protocol/DecodeError.ts"
import type { Json } from "../../protocol/Json.ts"
import * as V0 from "../../protocol/dialect/v0.ts"
import { ClientError } from "../ClientError.ts"
import type { Ask } from "../ClientConnection.ts"

type Requests = typeof V0.requests

/** Sends a request of v0. */
export const call = <M extends keyof Requests>(
  ask: Ask,
  method: M,
  params: Schema.Schema.Encoded<Requests[M]["params"]>,
): Effect.Effect<Schema.Schema.Type<Requests[M]["result"]>, ClientError> =>
  Effect.flatMap(ask(method, params), (json) =>
    Either.mapLeft(
      resultOf(method)(json),
      (fault) => new ClientError({ reason: "Protocol", message: `malformed ${method} result: ${fault}` }),
    ),
  )

const reader = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = ParseResult.decodeUnknownEither(schema)
  return (json: Json) =>
    Either.mapLeft(decode(json), (issue) => DecodeError.toText(ParseResult.parseError(issue)))
}

const resultOf = <M extends keyof Requests>(method: M) =>
  // The rows have different types; `method` selects one.
  reader(
    V0.requests[method].result as unknown as Schema.Schema<
      Schema.Schema.Type<Requests[M]["result"]>,
      unknown
    >,
  )

/** Decoders of notification params; on the left, what is malformed. */
export const outputDelta = reader(V0.OutputDeltaParams)
export const exited = reader(V0.ExitedParams)
