/** Runs again what has failed: the `retry` of `run` and `$`. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ClientError } from "./ClientError.ts"
import * as OptionNames from "./OptionNames.ts"
import * as Result from "./Result.ts"

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

/** The option, checked; `onlyOnce` is why nothing can be run again. Left is why it cannot be. */
export const parse = (
  given: number | RetryOptions | undefined,
  onlyOnce: () => string | undefined,
): Either.Either<Retry | undefined, ClientError> => {
  if (given === undefined) return Either.right(undefined)
  const unknown = typeof given === "number" ? undefined : OptionNames.refusal("retry", names, given)
  if (unknown !== undefined) return Either.left(unknown)
  const { times, delayMs = 0 }: RetryOptions = typeof given === "number" ? { times: given } : given
  if (!(Number.isSafeInteger(times) && times >= 1 && Number.isFinite(delayMs) && delayMs >= 0)) {
    const expected = "expected how often to run it again, from 1, or { times: 3, delayMs: 1000 }"
    return Either.left(OptionNames.invalid(`retry is ${OptionNames.shown(given)}: ${expected}`))
  }
  const why = onlyOnce()
  return why === undefined ? Either.right({ times, delayMs }) : Either.left(OptionNames.invalid(why))
}

/**
 * Runs `once`, and again while that fails with `Failed` or succeeds with a failure, unless `given` up. A result, and
 * the error, tell the attempts.
 */
export const run = (
  once: Effect.Effect<Result.Result, ClientError>,
  { times, delayMs }: Retry,
  givenUp: () => boolean,
): Effect.Effect<Result.Result, ClientError> => {
  const attempt = (attempts: number): Effect.Effect<Result.Result, ClientError> =>
    Effect.flatMap(Effect.either(once), (ended) => {
      const failed = Either.match(ended, {
        onLeft: ({ reason }) => reason === "Failed",
        onRight: Result.mayDoBetter,
      })
      if (failed && attempts <= times && !givenUp())
        return Effect.delay(
          Effect.suspend(() => attempt(attempts + 1)),
          delayMs,
        )
      return Either.match(ended, {
        onLeft: (error) => Effect.fail(attempts === 1 ? error : Result.failedAgain(error, attempts)),
        onRight: (result) => Effect.succeed(Result.attempted(result, attempts)),
      })
    })
  return Effect.suspend(() => attempt(1))
}
