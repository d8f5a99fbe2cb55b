/**
 * From a method and its params to a handler and back: decode, gate, handle, encode.
 *
 * Built from the method table. The order of checks is the wire's: unknown method, params, handshake
 * state, then the handler. This is the only place where failures become codes.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as DecodeError from "../protocol/DecodeError.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import type { Json } from "../protocol/Json.ts"
import * as Methods from "../protocol/Methods.ts"

/** What a handler may know of, and do with, the request it answers. */
export interface RequestContext {
  /**
   * Runs `hook` right after the answer has been given to the transport, before anything else can be:
   * notifications that must follow an answer are started here.
   */
  readonly afterReply: (hook: () => void) => void
}

/** One handler per row of the table. */
export type Handlers<E> = {
  readonly [M in Methods.RequestName]: (
    params: Methods.ParamsOf<M>,
    context: RequestContext,
  ) => Effect.Effect<Methods.ResultOf<M>, E>
}

export interface RouterOptions<E> {
  readonly handlers: Handlers<E>
  /** Fails if the connection is in no state for methods of this family. */
  readonly gate: (family: Methods.Family) => Effect.Effect<void, E>
  /** The code and text of a failure. */
  readonly toRpcError: (error: E) => ErrorCode.RpcError
}

export interface Router {
  /** True if a running request of this method counts against the limit of running requests. */
  readonly slotted: (method: string) => boolean
  /** Answers one request with the JSON text of its result. */
  readonly handle: (
    method: string,
    params: Json,
    context: RequestContext,
  ) => Effect.Effect<string, ErrorCode.RpcError>
}

export const make = <E>(options: RouterOptions<E>): Router => {
  const routes = new Map<string, Route>()
  for (const name of Object.keys(Methods.requests)) {
    if (Methods.isRequest(name)) routes.set(name, makeRoute(name, options))
  }
  return {
    slotted: (method) => routes.get(method)?.slotted ?? false,
    handle: (method, params, context) => routes.get(method)?.handle(params, context) ?? Effect.fail(unknown(method)),
  }
}

interface Route {
  readonly slotted: boolean
  readonly handle: (params: Json, context: RequestContext) => Effect.Effect<string, ErrorCode.RpcError>
}

const makeRoute = <M extends Methods.RequestName, E>(name: M, options: RouterOptions<E>): Route => {
  // The table's rows have different types; through the name, each row's params and result belong together.
  const row = Methods.requests[name] as unknown as Methods.RequestMethod<
    Methods.ParamsOf<M>,
    unknown,
    Methods.ResultOf<M>,
    unknown
  >
  const decode = ParseResult.decodeUnknownEither(row.params)
  const encode = Schema.encodeSync(row.result)
  const fields = fieldNames(row.params)
  const handler = options.handlers[name]
  const { family } = row
  const handle = (params: Json, context: RequestContext) => {
    const shaped = fromPositional(params, fields)
    if (Either.isLeft(shaped)) return Effect.fail(invalidParams(`invalid length ${shaped.left.length}, expected ${structOf(row.params)} with ${fields.length} elements`))
    const decoded = decode(shaped.right)
    if (Either.isLeft(decoded)) {
      return Effect.fail(invalidParams(DecodeError.toText(ParseResult.parseError(decoded.left))))
    }
    const handled = Effect.map(
      Effect.suspend(() => handler(decoded.right, context)),
      (result) => JSON.stringify(encode(result)),
    )
    const gated = family === undefined ? handled : Effect.zipRight(options.gate(family), handled)
    return Effect.mapError(gated, options.toRpcError)
  }
  return { slotted: row.slotted, handle }
}

const invalidParams = (message: string) => new ErrorCode.RpcError({ code: ErrorCode.invalidParams, message })

const unknown = (method: string) =>
  new ErrorCode.RpcError({
    code: ErrorCode.methodNotFound,
    message: `exec-server stub does not implement \`${method}\` yet`,
  })

const structOf = (schema: Schema.Schema.Any): string => `struct ${String(schema.ast.annotations[Symbol.for("effect/annotation/Identifier")] ?? "params")}`

/** The fields of a struct in the order of its declaration. */
const fieldNames = (schema: Schema.Schema.Any): ReadonlyArray<string> => {
  const { ast } = schema
  const literal = ast._tag === "Transformation" ? ast.from : ast
  return literal._tag === "TypeLiteral" ? literal.propertySignatures.map(({ name }) => String(name)) : []
}

/** Params may come as an array that gives every field of the struct in order. */
const fromPositional = (
  params: Json,
  fields: ReadonlyArray<string>,
): Either.Either<Json, ReadonlyArray<Json>> => {
  if (!Array.isArray(params) || fields.length === 0) return Either.right(params)
  const values: ReadonlyArray<Json> = params
  return values.length === fields.length
    ? Either.right(Object.fromEntries(fields.map((name, index) => [name, values[index] ?? null])))
    : Either.left(values)
}
