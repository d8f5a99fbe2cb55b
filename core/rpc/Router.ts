/**
 * From a method and its params to a handler and back: decode, gate, handle, encode.
 *
 * It is built from the methods of a dialect, which name the operations that handlers answer. The order of checks is
 * that of the wire: unknown method, params, handshake state, then the handler. Only here do failures become error
 * codes.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import * as AtOnce from "../protocol/AtOnce.ts"
import type { Json } from "../protocol/Json.ts"
import type * as Methods from "../protocol/Methods.ts"
import * as Shape from "../protocol/shape/index.ts"
import { current } from "../protocol/dialect/current.ts"
import type { Dialect, OperationParams, OperationResult, Route } from "../protocol/dialect/Dialect.ts"

/** Operations of a handler on the request that it answers, beside answering it. */
export interface RequestContext {
  /**
   * Runs `hook` right after the answer was written to the transport, before any other message can be. Notifications
   * that must follow an answer are started here. `answered` is false if the handler was interrupted at its end: its
   * result was dropped.
   */
  readonly afterReply: (hook: (answered: boolean) => void) => void
  /**
   * Calls `stop` if the request is cancelled although it is answered, until the returned function is called: for what
   * follows an answer. Only requests of a method that may be cancelled can be.
   */
  readonly onCancel: (stop: () => void) => () => void
}

/** One handler for each request of the method table. */
export type Handlers<E> = {
  readonly [M in Methods.RequestName]: (
    params: OperationParams<M>,
    context: RequestContext,
  ) => Effect.Effect<OperationResult<M>, E>
}

/** The parts of a router. Handlers and gate fail with `E`. */
export interface RouterOptions<E> {
  /** The dialect of the connection as known so far; the current one by default. */
  readonly dialect?: () => Dialect
  /** The operating system, by which paths are judged: `linux`, `macos`, `windows`. */
  readonly platform?: string
  /** The handlers of requests. */
  readonly handlers: Handlers<E>
  /** Fails if the connection is not in a state for methods of this family. */
  readonly gate: (family: Methods.Family) => Effect.Effect<void, E>
  /** Code and text of a failure. */
  readonly toRpcError: (error: E) => ErrorCode.RpcError
}

/** Answers the requests of one connection. */
export interface Router {
  /** True if a running request of this method counts against `concurrentRequests`. */
  readonly slotted: (method: string) => boolean
  /** True if the client may cancel a request of this method. */
  readonly cancellable: (method: string) => boolean
  /** Answers one request with the JSON text of its result. */
  readonly handle: (
    method: string,
    params: Json,
    context: RequestContext,
  ) => Effect.Effect<string, ErrorCode.RpcError>
}

/** A router over the handlers of one connection. */
export const make = <E>({ dialect = () => current, ...options }: RouterOptions<E>): Router => {
  const routeOf = (method: string): Route | undefined => {
    const { routes } = dialect()
    // A method may be any text, `constructor` for example, which every object has.
    return Object.hasOwn(routes, method) ? routes[method] : undefined
  }
  return {
    slotted: (method) => routeOf(method)?.row.slotted === true,
    cancellable: (method) => routeOf(method)?.row.cancellable === true,
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
  { gate, handlers, platform, toRpcError }: RouterOptions<E>,
): Effect.Effect<string, ErrorCode.RpcError> => {
  const toText = (result: unknown) =>
    row.toText === undefined ? JSON.stringify(Shape.encode(row.result, result)) : row.toText(result)
  const decoded = Shape.decode(row.params, params, { platform })
  if (Result.isFailure(decoded)) return Effect.fail(invalidParams(decoded.failure))
  if (served.kind === "constant") return Effect.succeed(toText(served.result))
  const { operation, toParams, toResult } = served
  // `toParams` of a route returns what its operation takes; `operation` in Dialect.ts ties the types together.
  const handle = handlers[operation] as (
    params: unknown,
    context: RequestContext,
  ) => Effect.Effect<unknown, E>
  const passed = row.family === undefined ? Effect.void : gate(row.family)
  const handled = AtOnce.flatMap(passed, () =>
    handle(toParams === undefined ? decoded.success : toParams(decoded.success), context),
  )
  return AtOnce.flatMap(AtOnce.mapError(handled, toRpcError), (result) => {
    if (toResult === undefined) return Effect.succeed(toText(result))
    const translated = toResult(result, decoded.success)
    return Result.isSuccess(translated)
      ? Effect.succeed(toText(translated.success))
      : Effect.fail(translated.failure)
  })
}

const invalidParams = (message: string) => new ErrorCode.RpcError({ code: ErrorCode.invalidParams, message })
