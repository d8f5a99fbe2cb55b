/** The error of a command that cannot do its task: the exit code is 1, unless the command says another one. */
import * as Data from "effect/Data"

export class Unable extends Data.TaggedError("Unable")<{
  /** The reason, and what to do. */
  readonly message: string
  /** Default: 1. */
  readonly exitCode?: number
}> {}

export const unable = (message: string): Unable => new Unable({ message })

/** For commands that need a server to look at. */
export const noServer = unable(
  "no server of your own runs: procwire up starts it, and --server names another one",
)

/** The exit code after a timeout, as that of `timeout` of coreutils. */
export const timeoutExitCode = 124
