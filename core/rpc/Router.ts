/**
 * From a method and its params to a handler and back: decode, gate, handle, encode.
 *
 * Built from the method table. The order of checks is the wire's: unknown method, params, handshake
 * state, then the handler. This is the only place where failures become codes.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
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

export const make = <E>(options: RouterOptions<E>): Router => ({
  slotted: (method) => Methods.isRequest(method) && Methods.requests[method].slotted,
  handle: (method, params, context) =>
    Methods.isRequest(method) ? route(method, params, context, options) : Effect.fail(unknown(method)),
})

const route = <M extends Methods.RequestName, E>(
  name: M,
  params: Json,
  context: RequestContext,
  { gate, handlers, toRpcError }: RouterOptions<E>,
): Effect.Effect<string, ErrorCode.RpcError> => {
  const { decode, toText, family } = codecOf(name)
  const decoded = decode(params)
  if (Either.isLeft(decoded)) return Effect.fail(invalidParams(decoded.left))
  const passed = family === undefined ? Effect.void : gate(family)
  const handled = Effect.flatMap(passed, () => handlers[name](decoded.right, context))
  return Effect.mapError(Effect.map(handled, toText), toRpcError)
}

/** What the router needs of a row, made once per program. */
interface Codec<M extends Methods.RequestName> {
  readonly family: Methods.Family | undefined
  /** The params, or the text of what is wrong with them. */
  readonly decode: (params: Json) => Either.Either<Methods.ParamsOf<M>, string>
  readonly toText: (result: Methods.ResultOf<M>) => string
}

const codecs = new Map<Methods.RequestName, unknown>()

const codecOf = <M extends Methods.RequestName>(name: M): Codec<M> => {
  const known = codecs.get(name) as Codec<M> | undefined
  if (known !== undefined) return known
  const made = makeCodec(name)
  codecs.set(name, made)
  return made
}

const makeCodec = <M extends Methods.RequestName>(name: M): Codec<M> => {
  // The table's rows have different types; through the name, each row's params and result belong together.
  const row = Methods.requests[name] as unknown as Methods.RequestMethod<
    Methods.ParamsOf<M>,
    unknown,
    Methods.ResultOf<M>,
    unknown
  >
  const decodeParams = ParseResult.decodeUnknownEither(row.params)
  const encode = Schema.encodeSync(row.result)
  const fields = fieldNames(row.params).slice(0, row.positional)
  return {
    family: row.family,
    decode: (params) =>
      Either.flatMap(fromPositional(params, fields, row.params), (shaped) =>
        Either.mapLeft(decodeParams(shaped), (issue) => DecodeError.toText(ParseResult.parseError(issue))),
      ),
    toText: row.toText ?? ((result) => JSON.stringify(encode(result))),
  }
}

const invalidParams = (message: string) => new ErrorCode.RpcError({ code: ErrorCode.invalidParams, message })

const unknown = (method: string) =>
  new ErrorCode.RpcError({
    code: ErrorCode.methodNotFound,
    message: `exec-server stub does not implement \`${method}\` yet`,
  })

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
  schema: Schema.Schema.Any,
): Either.Either<Json, string> => {
  if (!Array.isArray(params) || fields.length === 0) return Either.right(params)
  const values: ReadonlyArray<Json> = params
  if (values.length === fields.length) {
    return Either.right(Object.fromEntries(fields.map((name, index) => [name, values[index] ?? null])))
  }
  const struct = Option.getOrElse(SchemaAST.getIdentifierAnnotation(schema.ast), () => "params")
  return Either.left(
    `invalid length ${values.length}, expected struct ${struct} with ${fields.length} elements`,
  )
}
