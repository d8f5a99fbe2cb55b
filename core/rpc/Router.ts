/**
 * From a method and its params to a handler and back: decode, gate, handle, encode.
 *
 * Built from the methods of a dialect, which name the operations that handlers answer. The order of checks is
 * the wire's: unknown method, params, handshake state, then the handler. This is the only place where failures
 * become codes.
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
import type * as Methods from "../protocol/Methods.ts"
import { current } from "../protocol/dialect/current.ts"
import type { Dialect, OperationParams, OperationResult, Route } from "../protocol/dialect/Dialect.ts"

/** What a handler may know of, and do with, the request it answers. */
export interface RequestContext {
  /**
   * Runs `hook` right after the answer has been given to the transport, before anything else can be:
   * notifications that must follow an answer are started here.
   */
  readonly afterReply: (hook: () => void) => void
}

/** One handler per row of the method table. */
export type Handlers<E> = {
  readonly [M in Methods.RequestName]: (
    params: OperationParams<M>,
    context: RequestContext,
  ) => Effect.Effect<OperationResult<M>, E>
}

export interface RouterOptions<E> {
  /** The dialect of the connection, as far as that is known by now; the default is today's. */
  readonly dialect?: () => Dialect
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

export const make = <E>({ dialect = () => current, ...options }: RouterOptions<E>): Router => {
  const routeOf = (method: string): Route | undefined => {
    const { routes } = dialect()
    // A method may be any text, also the name of something that every object has.
    return Object.hasOwn(routes, method) ? routes[method] : undefined
  }
  return {
    slotted: (method) => routeOf(method)?.row.slotted === true,
    handle: (method, params, context) => {
      const route = routeOf(method)
      return route === undefined
        ? Effect.fail(dialect().unknownMethod(method))
        : answer(route, params, context, options)
    },
  }
}

const answer = <E>(
  { row, served }: Route,
  params: Json,
  context: RequestContext,
  { gate, handlers, toRpcError }: RouterOptions<E>,
): Effect.Effect<string, ErrorCode.RpcError> => {
  const { decode, toText } = codecOf(row)
  const decoded = decode(params)
  if (Either.isLeft(decoded)) return Effect.fail(invalidParams(decoded.left))
  if (served.kind === "constant") return Effect.succeed(toText(served.result))
  const { operation, toParams, toResult } = served
  // What a route makes of its row's params is what its operation takes.
  const handle = handlers[operation] as (
    params: unknown,
    context: RequestContext,
  ) => Effect.Effect<unknown, E>
  const passed = row.family === undefined ? Effect.void : gate(row.family)
  const handled = Effect.flatMap(passed, () => handle(toParams(decoded.right), context))
  return Effect.flatMap(Effect.mapError(handled, toRpcError), (result) =>
    Either.map(toResult(result, decoded.right), toText),
  )
}

/** What the router needs of a row, made once per program. */
interface Codec {
  /** The params, or the text of what is wrong with them. */
  readonly decode: (params: Json) => Either.Either<unknown, string>
  readonly toText: (result: unknown) => string
}

type Row = Route["row"]

const codecs = new Map<Row, Codec>()

const codecOf = (row: Row): Codec => {
  const known = codecs.get(row)
  if (known !== undefined) return known
  const made = makeCodec(row)
  codecs.set(row, made)
  return made
}

const makeCodec = (row: Row): Codec => {
  const decodeParams = ParseResult.decodeUnknownEither(row.params)
  const encode = Schema.encodeSync(row.result)
  const fields = fieldNames(row.params).slice(0, row.positional)
  return {
    decode: (params) =>
      Either.flatMap(fromPositional(params, fields, row.params), (shaped) =>
        Either.mapLeft(decodeParams(shaped), (issue) => DecodeError.toText(ParseResult.parseError(issue))),
      ),
    toText: row.toText ?? ((result) => JSON.stringify(encode(result))),
  }
}

const invalidParams = (message: string) => new ErrorCode.RpcError({ code: ErrorCode.invalidParams, message })

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
