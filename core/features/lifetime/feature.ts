/** The time for which a closed process stays, on the server. */
import * as SessionScope from "../../protocol/SessionScope.ts"
import type { Feature } from "../Feature.ts"
import type { lifetime as wire } from "./wire.ts"

export const lifetime: Feature<typeof wire> = {
  announces: () => ({ processAutoRemove: true }),
  fault: ({ keep }, { scope }) =>
    keep === true && scope !== "control"
      ? new SessionScope.ScopeError({
          needs: "control",
          has: scope,
          what: "keeping a process (`keep: true`)",
        })
      : undefined,
  options: ({ keep, autoRemove }) => ({ keep: keep ?? false, autoRemove: autoRemove ?? false }),
}
