/** Gives up calls of the promise face: by a signal, or after a time. As effects, that is interruption. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import { clientError } from "./ClientError.ts"
import * as OptionNames from "./OptionNames.ts"

/** The part of `AbortSignal` that is used. */
export interface Signal {
  /** True once the call is to be given up. */
  readonly aborted: boolean
  /** The error of the promise. */
  readonly reason?: unknown
  /** Calls `listener` at the abort. */
  addEventListener(type: "abort", listener: () => void): void
  /** Calls it no more. */
  removeEventListener(type: "abort", listener: () => void): void
}

/** The last argument of every call. */
export interface CallOptions {
  /** An `AbortSignal`. When it aborts, the call is given up, and its promise rejects with the reason of the signal. */
  readonly signal?: Signal | undefined
  /** After this time the call is given up, and its promise rejects with `Timeout`. A number is milliseconds. */
  readonly timeout?: Duration.Input | undefined
}

const names = { signal: true, timeout: true } satisfies OptionNames.Names<CallOptions>

/** Makes an effect one that is given up. */
export type GivenUp = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, unknown>

/** The effect, given up by these options. */
export const givenUp = <A, E>(effect: Effect.Effect<A, E>, how?: CallOptions): Effect.Effect<A, unknown> =>
  inSteps(how)(effect)

/** The same for the effects that one call consists of: the time of all of them runs from the first. */
export const inSteps = (how: CallOptions | undefined): GivenUp => {
  if (how === undefined) return identity
  const refusal = OptionNames.refusal("a call", names, how)
  if (refusal !== undefined) return () => Effect.fail(refusal)
  const { signal, timeout } = how
  const stoppable: GivenUp =
    signal === undefined ? identity : (effect) => Effect.raceFirst(aborted(signal), effect)
  if (timeout === undefined) return stoppable
  const duration = Option.getOrUndefined(Duration.fromInput(timeout))
  if (duration === undefined) {
    const expected = `timeout is ${String(timeout)}: expected milliseconds, or "5 seconds"`
    return () => Effect.fail(OptionNames.invalid(expected))
  }
  let since: number | undefined
  return (effect) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      since ??= now
      const left = Duration.subtract(duration, Duration.millis(now - since))
      return Effect.timeoutOrElse(stoppable(effect), { duration: left, orElse: () => late(duration) })
    })
}

const aborted = (signal: Signal): Effect.Effect<never, unknown> =>
  Effect.callback((resume) => {
    const abort = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort)
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })

const late = (duration: Duration.Duration) =>
  clientError("Timeout", `given up after ${Duration.format(duration)}`)
