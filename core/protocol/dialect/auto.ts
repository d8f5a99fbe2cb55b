/**
 * The dialect of whoever comes: today's, until a first request says that it is v0.
 *
 * `initialize` answers both: `sessionId` and `environmentInfo` for today's clients and `protocolVersion` for those of
 * v0, each of whom ignores what is not theirs. The first request behind it decides, or the first of all, where none
 * shakes hands; so does one to resume a session, which v0 has not.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { isObject, type Request } from "../Message.ts"
import { requests } from "../Methods.ts"
import { InitializeResult } from "../Session.ts"
import { current } from "./current.ts"
import { type Dialect, operation } from "./Dialect.ts"
import * as V0 from "./v0.ts"

const initialize = operation(
  "initialize",
  {
    ...requests.initialize,
    result: Schema.Struct({ ...InitializeResult.fields, ...V0.InitializeResult.fields }),
  },
  {
    toParams: (params) => params,
    toResult: (result) => Either.right({ ...result, protocolVersion: V0.protocolVersion }),
  },
)

const decide = ({ method, params }: Request): Dialect | undefined => {
  if (method !== "initialize") return Object.hasOwn(V0.v0.routes, method) ? V0.v0 : current
  return isObject(params) && params["resumeSessionId"] != null ? current : undefined
}

export const auto: Dialect = {
  ...current,
  routes: { ...V0.v0.routes, ...current.routes, initialize },
  next: decide,
}
