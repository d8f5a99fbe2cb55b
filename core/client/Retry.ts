/** Runs again what has failed: the `retry` of `run` and `$`. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ClientError } from "./ClientError.ts"
import * as OptionNames from "./OptionNames.ts"
import * as RunResult from "./RunResult.ts"

/** Options of `retry`. */
export interface RetryOptions {
  /** The most times that it is run again, from 1. */
  readonly times: number
  /** Milliseconds from the end of one run to the start of the next. Default: 0. */
  readonly delayMs?: number
}

const names = { times: true, delayMs: true } satisfies OptionNames.Names<RetryOptions>

/** The number of further runs, and the milliseconds before each. */
export interface Retry {
  readonly times: number
  readonly delayMs: number
}

/** The option, checked; `onlyOnce` is why nothing can be run again. A failure is why it cannot be. */
export const parse = (
  given: number | RetryOptions | undefined,
  onlyOnce: () => string | undefined,
): Result.Result<Retry | undefined, ClientError> => {
  if (given === undefined) return Result.succeed(undefined)
  const unknown = typeof given === "number" ? undefined : OptionNames.refusal("retry", names, given)
  if (unknown !== undefined) return Result.fail(unknown)
  const { times, delayMs = 0 }: RetryOptions = typeof given === "number" ? { times: given } : given
  if (!(Number.isSafeInteger(times) && times >= 1 && Number.isFinite(delayMs) && delayMs >= 0)) {
    const expected = "expected how often to run it again, from 1, or { times: 3, delayMs: 1000 }"
    return Result.fail(OptionNames.invalid(`retry is ${OptionNames.shown(given)}: ${expected}`))
  }
  const why = onlyOnce()
  return why === undefined ? Result.succeed({ times, delayMs }) : Result.fail(OptionNames.invalid(why))
}

/**
 * Runs `once`, and again while that fails with `Failed` or succeeds with a failure, unless `given` up. A result, and
 * the error, tell the attempts.
 */
export const run = (
  once: Effect.Effect<RunResult.Result, ClientError>,
  { times, delayMs }: Retry,
  givenUp: () => boolean,
): Effect.Effect<RunResult.Result, ClientError> => {
  const attempt = (attempts: number): Effect.Effect<RunResult.Result, ClientError> =>
    Effect.flatMap(Effect.result(once), (ended) => {
      const failed = Result.match(ended, {
        onFailure: ({ reason }) => reason === "Failed",
        onSuccess: RunResult.mayDoBetter,
      })
      if (failed && attempts <= times && !givenUp())
        return Effect.delay(
          Effect.suspend(() => attempt(attempts + 1)),
          delayMs,
        )
      return Result.match(ended, {
        onFailure: (error) => Effect.fail(attempts === 1 ? error : RunResult.failedAgain(error, attempts)),
        onSuccess: (result) => Effect.succeed(RunResult.attempted(result, attempts)),
      })
    })
  return Effect.suspend(() => attempt(1))
}
