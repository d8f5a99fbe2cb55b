/** Credit, on the server. */
import * as Effect from "effect/Effect"
import type { ProcessError } from "../../process/ProcessError.ts"
import { leastCredit } from "../../protocol/Credit.ts"
import { ParamsError } from "../../protocol/ParamsError.ts"
import type { Feature } from "../Feature.ts"
import type { Followed } from "../Following.ts"
import { Credits } from "./Credits.ts"
import type { credit as wire } from "./wire.ts"

/** The fault of a credit: within one that is smaller than a chunk perhaps nothing is ever pushed. */
export const faultOf = (credit: number | null | undefined): string | undefined =>
  credit != null && credit < leastCredit
    ? `credit must be at least ${leastCredit} bytes, which one chunk may have: ${credit}`
    : undefined

export const credit: Feature<typeof wire> = {
  // Output that may not be pushed waits in the log, so the child has to be paused.
  announces: ({ spawner }) => ({ processCredit: spawner.pause }),
  fault: (params) => faultOf(params.credit),
  part: ({ at, following }) => {
    const credits = new Credits(following)
    /** The followed one of an id; a process that is forgotten, too, until its last event is sent. */
    const followed = (processId: string): Effect.Effect<Followed, ProcessError> => {
      const { processes, id, view } = at(processId)
      const known = view ?? (processes.has(id) ? undefined : following.find(processId))
      return known === undefined ? processes.find(id) : Effect.succeed(known)
    }
    return {
      gate: (of, bytes) => credits.gate(of, bytes),
      handlers: {
        "process/credit": ({ processId, bytes }) =>
          Effect.flatMap(followed(processId), (process) =>
            credits.grant(process, bytes)
              ? Effect.succeed({})
              : new ParamsError({
                  message: `the credit of process ${processId} must not exceed ${Number.MAX_SAFE_INTEGER} bytes`,
                }),
          ),
      },
    }
  },
}
