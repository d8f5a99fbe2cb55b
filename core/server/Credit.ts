/** The credit that a client names at first. */
import * as Effect from "effect/Effect"
import { leastCredit } from "../protocol/Credit.ts"
import { ParamsError } from "./WireError.ts"

/** A smaller credit than one chunk could be one that nothing is ever pushed within. */
export const least = (credit: number | null | undefined): Effect.Effect<number | undefined, ParamsError> =>
  credit != null && credit < leastCredit
    ? Effect.fail(
        new ParamsError({
          message: `credit must be at least ${leastCredit} bytes, which one chunk may have: ${credit}`,
        }),
      )
    : Effect.succeed(credit ?? undefined)
