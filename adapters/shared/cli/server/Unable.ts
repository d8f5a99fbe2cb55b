/** What a command was asked for cannot be done: the exit code is 1, unless the command says another one. */
import * as Data from "effect/Data"

export class Unable extends Data.TaggedError("Unable")<{
  /** What is missing, and what to do. */
  readonly message: string
  /** Default: 1. */
  readonly exitCode?: number
}> {}
