/**
 * The time after a lost connection: when it is worth another attempt, and when to give up.
 *
 * Pauses grow and are jittered, so that the clients of a server that comes back do not come back all at
 * once. Time and chance come through Clock and Random.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import { ClientError } from "./ClientError.ts"

export interface ReconnectPolicy {
  /** How long a lost connection is tried to be replaced. Default: 25 seconds. */
  readonly window?: Duration.DurationInput
  /** The first pause, which doubles with each attempt; up to a fifth more or less. Default: 100 milliseconds. */
  readonly firstPause?: Duration.DurationInput
  /** The longest pause. Default: 2 seconds. */
  readonly longestPause?: Duration.DurationInput
}

export interface Outage {
  /**
   * Pauses and attempts until one succeeds, with the most milliseconds that an attempt may take. Fails with
   * what no further attempt can change, or, at the end of the window, with what the last one has met.
   */
  readonly retry: <A>(
    attempt: (limitMillis: number) => Effect.Effect<A, ClientError>,
  ) => Effect.Effect<A, ClientError>
}

/** An outage that begins now. */
export const begin = (policy: ReconnectPolicy): Effect.Effect<Outage> =>
  Effect.gen(function* () {
    const { window = "25 seconds", firstPause = "100 millis", longestPause = "2 seconds" } = policy
    const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(window)
    const left = Effect.map(Clock.currentTimeMillis, (now) => deadline - now)
    const pauses = yield* Schedule.driver(
      Schedule.exponential(firstPause).pipe(
        Schedule.either(Schedule.spaced(longestPause)),
        Schedule.jittered,
        // Whole, as the clock is: a rest of a fraction would be neither waited for nor over.
        Schedule.modifyDelay((_, pause) => Duration.millis(Math.round(Duration.toMillis(pause)))),
      ),
    )
    const retry: Outage["retry"] = (attempt) =>
      Effect.gen(function* () {
        let last = "no attempt was made in time"
        for (;;) {
          yield* Effect.timeoutOption(Effect.ignore(pauses.next(undefined)), Math.max(0, yield* left))
          const limit = yield* left
          if (limit < 1) return yield* Effect.fail(new ClientError({ reason: "Timeout", message: last }))
          const result = yield* Effect.either(attempt(limit))
          if (Either.isRight(result)) return result.right
          if (!isPassing(result.left)) return yield* Effect.fail(result.left)
          last = result.left.message
        }
      })
    return { retry }
  })

/** What another attempt may get over: the server is away, or still holds on to the old connection. */
const isPassing = ({ reason, code }: ClientError): boolean =>
  reason === "Connect" ||
  reason === "Disconnected" ||
  reason === "Timeout" ||
  code === ErrorCode.sessionAttached
