/** The refusal of a named spawner: a sentence that names the value. */
import * as Data from "effect/Data"

/** A spawner that was named cannot be had. */
export class SpawnerProblem extends Data.TaggedError("SpawnerProblem")<{
  /**
   * `UnknownName` and `InvalidOption`: the text is wrong. `Module`: the module cannot be loaded, or exports no spawner.
   * `Order`: it cannot stand behind the one before. `Missing`: this machine lacks what it needs. `Unreachable`: there
   * is no connection to where its processes would be.
   */
  readonly reason: "UnknownName" | "InvalidOption" | "Module" | "Order" | "Missing" | "Unreachable"
  /** The sentence. */
  readonly message: string
  /** The error behind it. */
  readonly cause?: unknown
}> {}
