/** Terminates a process when the `AbortSignal` of its start aborts. */
import * as Effect from "effect/Effect"
import type { Call } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import type { ProcessFollower } from "./ProcessFollower.ts"
import type { StartOptions } from "./StartOptions.ts"

type Asked = Pick<StartOptions, "signal" | "killGraceMs">

/** What is used of the client. */
interface Services {
  readonly call: Call
  /** Runs an effect in the client's scope. */
  readonly fork: (effect: Effect.Effect<void>) => unknown
}

/** Why nothing is started: the signal has aborted. */
export const refusal = ({ signal }: Asked): ClientError | undefined =>
  signal?.aborted === true
    ? new ClientError({
        reason: "Abandoned",
        message: "nothing was started: the signal of the start had aborted",
        cause: signal.reason,
      })
    : undefined

/** Watches the signal of a process that has started until it has closed, or is followed no more. */
export const follow = (
  { signal, killGraceMs }: Asked,
  { id, closed }: ProcessFollower,
  by: Services,
): void => {
  if (signal === undefined) return
  const grace = killGraceMs === undefined ? {} : { graceMs: killGraceMs }
  // A terminate whose connection is lost is sent again on the next one.
  const end = Effect.ignore(by.call("process/terminate", { processId: id, ...grace }))
  const abort = () => void by.fork(end)
  if (signal.aborted) return abort()
  signal.addEventListener("abort", abort)
  by.fork(
    Effect.zipRight(
      Effect.exit(closed),
      Effect.sync(() => signal.removeEventListener("abort", abort)),
    ),
  )
}
