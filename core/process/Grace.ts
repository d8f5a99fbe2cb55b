/** The grace of a process that is asked to end, and its params. */
import * as Effect from "effect/Effect"
import { ParamsError } from "../protocol/ParamsError.ts"
import { longestTimerMillis } from "../protocol/Timer.ts"
import * as Signals from "../protocol/Signals.ts"
import type * as Spawner from "../spawn/Spawner.ts"

/** From the signal that asks a process to end to the SIGKILL of what is left. */
export interface Grace {
  /** The signal that asks it to end. */
  readonly signal: Spawner.SignalName
  /** Its time to end, in milliseconds; 0 kills at once. */
  readonly millis: number
}

/** SIGTERM, and 5 seconds. */
export const defaultGrace: Grace = { signal: "SIGTERM", millis: 5000 }

/** The grace that params name: a signal, and a time in milliseconds. */
export const fromParams = (
  signal: Signals.Signal | null | undefined,
  millis: number | null | undefined,
  platform: string,
): Partial<Grace> => ({
  ...(millis == null ? {} : { millis }),
  ...(signal == null ? {} : { signal: Signals.toPosix(signal, platform) }),
})

/** The fault of a param that is a time in milliseconds; undefined if it is absent, or from `least` to 24 days. */
export const faultOf = (name: string, value: number | null | undefined, least: number): string | undefined =>
  value != null && (value < least || value > longestTimerMillis)
    ? `${name} must be from ${least} to ${longestTimerMillis} milliseconds (24 days): ${value}`
    : undefined

/** The grace of a terminate or a restart; undefined if its params name none. */
export const fromTerminate = (
  {
    signal,
    graceMs,
  }: { readonly signal?: Signals.Signal | null | undefined; readonly graceMs?: number | null | undefined },
  platform: string,
): Effect.Effect<Partial<Grace> | undefined, ParamsError> => {
  const fault = faultOf("graceMs", graceMs, 0)
  if (fault !== undefined) return Effect.fail(new ParamsError({ message: fault }))
  const asks = signal != null || graceMs != null
  return Effect.succeed(asks ? fromParams(signal, graceMs, platform) : undefined)
}
