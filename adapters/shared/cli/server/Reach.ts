/** A server for commands that only look: that of one's own is not started for them, since it would have nothing. */
import process from "node:process"
import * as Effect from "effect/Effect"
import type * as Connect from "../../Connect.ts"
import type { Target } from "../TargetFlags.ts"
import * as OwnServer from "./OwnServer.ts"
import { Unable } from "./Unable.ts"

/** A server outside this process. */
export type Reachable = Connect.RemoteTarget

/** The server; undefined if it is that of one's own, and does not run. */
export const existing = (
  target: Target,
): Effect.Effect<Reachable | undefined, Unable | OwnServer.OwnServerError> => {
  if ("own" in target)
    return Effect.map(OwnServer.find(process.env), (url) => (url === undefined ? undefined : { url }))
  return "inProcess" in target
    ? new Unable({ message: "a server in this process has no processes" })
    : Effect.succeed(target)
}
