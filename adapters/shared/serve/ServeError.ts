/** The failure of a server to start. */
import * as Data from "effect/Data"

/**
 * - `InvalidOption`: an option that does not exist, a value that is not possible, or options that exclude each other.
 * - `Configuration`: well-formed options with which no server can or may start, such as a file that cannot be read.
 * - `Listen`: an address that cannot be bound.
 */
export type ServeReason = "InvalidOption" | "Configuration" | "Listen"

/** The message names the option as it was given: the flag, the variable, the line of the file, or the property. */
export class ServeError extends Data.TaggedError("ServeError")<{
  /** The kind of the failure. */
  readonly reason: ServeReason
  /** For people. */
  readonly message: string
  /** The error behind it, if there is one. */
  readonly cause?: unknown
}> {}

/** An option that is not possible. */
export const invalid = (message: string): ServeError => new ServeError({ reason: "InvalidOption", message })

/** Options that are possible, but not here or not together. */
export const misconfigured = (message: string): ServeError =>
  new ServeError({ reason: "Configuration", message })
