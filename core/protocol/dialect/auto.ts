/**
 * Detects the dialect of a client: the current one, unless its first request is one of v0.
 *
 * The result of `initialize` has the fields of both: `sessionId` and `environmentInfo` for current clients,
 * `protocolVersion` for those of v0; each ignores the others. The first other request decides. An `initialize` that
 * resumes a session decides for the current wire, because v0 cannot resume.
 */
import * as Result from "effect/Result"
import * as Shape from "../shape/index.ts"
import { isObject } from "../Json.ts"
import type { Request } from "../Message.ts"
import { requests } from "../Methods.ts"
import { InitializeResult } from "../Session.ts"
import { current } from "./current.ts"
import { type Dialect, operation } from "./Dialect.ts"
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
