/** Looks at a holder that no server uses: the processes that it holds, each of which can be ended. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Left } from "../../../core/spawn/Keeper.ts"
import * as HeldSpawner from "./HeldSpawner.ts"
import * as HolderPlace from "./HolderPlace.ts"
import type * as HolderProcess from "./HolderProcess.ts"
import type { KeepProblem } from "./KeepProblem.ts"

/**
 * The processes of the holder of a state folder, until the scope closes, during which no server can use it; none where
 * none runs, or where a server has them.
 */
export const left = (
  options: Pick<HolderProcess.Options, "folder" | "openFfi">,
): Effect.Effect<ReadonlyArray<Left>, KeepProblem, Scope.Scope> =>
  Effect.gen(function* () {
    const place = HolderPlace.find(options.folder)
    if (place === undefined || HolderPlace.noted(place) === undefined) return []
    const { keeper } = yield* HeldSpawner.make({ ...options, ttlMillis: undefined, starts: false })
    return yield* keeper.left
  }).pipe(
    Effect.catch((problem) =>
      problem.reason === "Absent" || problem.reason === "Busy" ? Effect.succeed([]) : Effect.fail(problem),
    ),
  )
