/** Decodes results and notifications for a client. It takes the form that servers send, and no other. */
import type * as Result from "effect/Result"
import type { Json } from "../Json.ts"
import type { RequestMethod } from "../Method.ts"
import * as Methods from "../Methods.ts"
import * as Shape from "../shape/index.ts"

type Row = Pick<RequestMethod<never, Readonly<Record<string, unknown>>, never, never>, "repeatable">
type ParamsOf<M extends Methods.ServerNotificationName> = Shape.Type<
  (typeof Methods.serverNotifications)[M]["params"]
>

/** Every request, in the order of the table. */
export const names = Object.keys(Methods.requests) as ReadonlyArray<Methods.RequestName>

/** True for the name of a request. */
export const isRequest = (method: string): method is Methods.RequestName =>
  Object.hasOwn(Methods.requests, method)

/** True for a request that may be sent again if its answer was lost. */
export const isRepeatable = (method: Methods.RequestName, params: unknown): boolean => {
  const { repeatable } = Methods.requests[method] as Row
  if (repeatable === undefined || repeatable === "always") return repeatable === "always"
  const given = params as Readonly<Record<string, unknown>>
  return "given" in repeatable
    ? given[repeatable.given] !== undefined
    : given[repeatable.unlessFalse] !== false
}

/** The result of a request; as a failure, what is malformed, with its place. */
export const result = <M extends Methods.RequestName>(
  method: M,
  json: Json,
): Result.Result<Methods.ResultOf<M>, string> => {
  const shape: Shape.Shape<unknown, unknown> = Methods.requests[method].result
  return Shape.decode(shape as Shape.Shape<Methods.ResultOf<M>>, json, { plain: true })
}

/** The params of a notification; as a failure, what is malformed, with its place. */
export const notification = <M extends Methods.ServerNotificationName>(
  method: M,
  json: Json,
): Result.Result<ParamsOf<M>, string> => {
  const shape: Shape.Any = Methods.serverNotifications[method].params
  return Shape.decode(shape as Shape.Shape<ParamsOf<M>>, json, { plain: true })
}
