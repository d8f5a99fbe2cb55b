/** Why a host could not be reached. */
import * as Data from "effect/Data"

/** No connection to a host could be made. */
export class FleetError extends Data.TaggedError("FleetError")<{
  /** The text for people. */
  readonly message: string
}> {}
