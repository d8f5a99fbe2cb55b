/** Pictures that cannot be given. */
import * as Data from "effect/Data"

/** Why there is no picture. */
export type ScreenReason =
  /** The process has no PTY. */
  | "NoTerminal"
  /** The server has no terminals to paint with. */
  | "Unavailable"
  /** The PTY has more cells than a picture may have. */
  | "TooLarge"
  /** The output that the picture is to end with has left the log. */
  | "Evicted"

/** There is no picture; `message` is for the client. */
export class ScreenError extends Data.TaggedError("ScreenError")<{
  /** Why there is none. */
  readonly reason: ScreenReason
  /** The same in words, with the values and what helps. */
  readonly message: string
}> {}
