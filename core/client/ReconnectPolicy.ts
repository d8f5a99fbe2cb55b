/**
 * When a lost connection is tried to be replaced, and when that is given up.
 *
 * Pauses grow and are jittered, so that the clients of a restarted server do not all reconnect at once. Time comes
 * through Clock, and jitter through Random.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Random from "effect/Random"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import { type ClientError, clientError } from "./ClientError.ts"

/** The replacement of a lost connection. `{}` takes the defaults. Numbers are milliseconds. */
export interface ReconnectPolicy {
  /** For how long after the loss new connections are tried. Default: 25 seconds. */
  readonly window?: Duration.Input
  /** The first pause; each next one is twice as long, and each varies by up to a fifth. Default: 100 milliseconds. */
  readonly firstPause?: Duration.Input
  /** The longest pause. Default: 2 seconds. */
  readonly longestPause?: Duration.Input
}

/**
 * Runs `attempt` after each pause of an outage until it succeeds, and tells it how many milliseconds it may take. Fails
 * with an error that another attempt cannot change, or at the deadline of the outage with `Timeout` and the message of
 * its last error. An attempt that the deadline has cut short says nothing new.
 */
export type Retry = <A>(
  attempt: (limitMillis: number) => Effect.Effect<A, ClientError>,
) => Effect.Effect<A, ClientError>

/** An outage that begins now. */
export const begin = (policy: ReconnectPolicy): Effect.Effect<Retry> =>
  Effect.gen(function* () {
    const { window = "25 seconds", firstPause = "100 millis", longestPause = "2 seconds" } = policy
    const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(window)
    const left = Effect.map(Clock.currentTimeMillis, (now) => deadline - now)
    const [first, longest] = [Duration.toMillis(firstPause), Duration.toMillis(longestPause)]
    let pauses = 0
    const pause = Effect.flatMap(Random.next, (random) => {
      const millis = Math.min(first * 2 ** pauses, longest)
      pauses += 1
      // The clock has whole milliseconds: with a fraction left, the loop would neither wait nor be at the deadline.
      return Effect.sleep(Math.round(millis * 0.8 * (1 - random) + millis * 1.2 * random))
    })
    let last: string | undefined
    return (attempt) =>
      Effect.gen(function* () {
        for (;;) {
          yield* Effect.timeoutOption(pause, Math.max(0, yield* left))
          const limit = yield* left
          if (limit < 1) {
            const message = last ?? "no attempt was made in time"
            return yield* Effect.fail(clientError("Timeout", message))
          }
          const result = yield* Effect.result(attempt(limit))
          if (Result.isSuccess(result)) return result.success
          if (!isPassing(result.failure)) return yield* Effect.fail(result.failure)
          if (result.failure.reason !== "Timeout" || (yield* left) >= 1) last = result.failure.message
          else last ??= result.failure.message
        }
      })
  })

/** A connection that lasts for so many milliseconds ends the outage before it. */
export const steadyMillis = 1000

/**
 * The outages of one client: a function that tells to which one the loss of a connection belongs, by how many
 * milliseconds the connection lived and the last seq received of each process. A connection that was lost quickly and
 * delivered nothing continues the outage before it, so a server that fails the same way each time is given up at the
 * deadline.
 */
export const outages = (policy: ReconnectPolicy) => {
  let outage: Retry | undefined
  let before = 0
  return (livedMillis: number, lastSeqs: Readonly<Record<string, number>>): Effect.Effect<Retry> =>
    Effect.gen(function* () {
      const seen = Object.values(lastSeqs).reduce((sum, seq) => sum + seq, 0)
      const steady = livedMillis >= steadyMillis || seen !== before
      before = seen
      if (outage === undefined || steady) outage = yield* begin(policy)
      return outage
    })
}

/**
 * True if another attempt may succeed: the server is away, or has not noticed the loss yet. Two clients that take a
 * session from each other would never end.
 */
const isPassing = ({ reason, code }: ClientError): boolean =>
  code === ErrorCode.sessionAttached || (passing.has(reason) && code !== ErrorCode.sessionTaken)

const passing: ReadonlySet<ClientError["reason"]> = new Set(["Connect", "Disconnected", "Timeout"])
