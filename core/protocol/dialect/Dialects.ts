/** Every dialect by its name. */
import { current } from "./current.ts"
import { type Dialect, operation } from "./Dialect.ts"
import { v0 } from "./v0.ts"
import * as Result from "effect/Result"
import * as Shape from "../shape/index.ts"
import { isObject } from "../Json.ts"
import type { Request } from "../Message.ts"
import { requests } from "../Methods.ts"
import { InitializeResult } from "../Session.ts"
import * as V0 from "./v0.ts"

const initialize = operation(
  "initialize",
  {
    ...requests.initialize,
    result: Shape.struct("", { ...InitializeResult.fields, ...V0.InitializeResult.fields }),
  },
  {
    toParams: (params) => params,
    toResult: (result) => Result.succeed({ ...result, protocolVersion: V0.protocolVersion }),
  },
)

const decide = ({ method, params }: Request): Dialect | undefined => {
  if (method !== "initialize") return Object.hasOwn(V0.v0.routes, method) ? V0.v0 : current
  return isObject(params) && params["resumeSessionId"] != null ? current : undefined
}

/** The dialect of a connection whose client has yet to be detected. */
export const auto: Dialect = {
  ...current,
  routes: { ...V0.v0.routes, ...current.routes, initialize },
  next: decide,
}

/** The dialects. `auto` detects which of the others the client speaks. */
export const table = { current, v0, auto } satisfies { readonly [name: string]: Dialect }

/** The name of a dialect. */
export type Name = keyof typeof table

/** The names of all dialects. */
export const names = Object.keys(table) as ReadonlyArray<Name>

/** True for a method of any dialect. */
export const isRequest = (method: string): boolean =>
  Object.values(table).some(({ routes }) => Object.hasOwn(routes, method))
