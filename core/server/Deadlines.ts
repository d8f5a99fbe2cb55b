/** The deadlines of a start, and the grace of a terminate: their params, checked and with the names of signals. */
import * as Effect from "effect/Effect"
import type { Grace } from "../process/Cause.ts"
import { longestTimerMillis } from "../protocol/Timer.ts"
import type { Asked } from "../process/ProcessRegistry.ts"
import type { ParamsOf } from "../protocol/Methods.ts"
import * as Signals from "../protocol/Signals.ts"
import { ParamsError } from "./WireError.ts"

/** What a start asks of the registry. */
export const fromStart = (
  params: Partial<ParamsOf<"process/start">>,
  platform: string,
): Effect.Effect<Pick<Asked, "times" | "grace" | "ending">, ParamsError> => {
  const { timeoutMs, idleTimeoutMs, killGraceMs, signalOnTimeout } = params
  if ((timeoutMs ?? idleTimeoutMs ?? killGraceMs ?? signalOnTimeout) == null)
    return Effect.succeed({ ending: params.ending ?? false })
  return Effect.gen(function* () {
    const timeoutMillis = yield* bounded("timeoutMs", timeoutMs, 1)
    const idleMillis = yield* bounded("idleTimeoutMs", idleTimeoutMs, 1)
    const grace = yield* toGrace("killGraceMs", killGraceMs, signalOnTimeout, platform)
    const timed = timeoutMillis !== undefined || idleMillis !== undefined
    return {
      grace,
      ...(timed ? { times: { timeoutMillis, idleMillis } } : {}),
      ending: params.ending ?? timed,
    }
  })
}

/** What a terminate asks of the registry; undefined for one that kills at once. */
export const fromTerminate = (
  { signal, graceMs }: Pick<ParamsOf<"process/terminate">, "signal" | "graceMs">,
  platform: string,
): Effect.Effect<Partial<Grace> | undefined, ParamsError> =>
  signal == null && graceMs == null
    ? Effect.succeed(undefined)
    : toGrace("graceMs", graceMs, signal, platform)

const toGrace = (
  name: string,
  value: number | null | undefined,
  signal: Signals.Signal | null | undefined,
  platform: string,
): Effect.Effect<Partial<Grace>, ParamsError> =>
  Effect.map(bounded(name, value, 0), (millis) => ({
    ...(millis === undefined ? {} : { millis }),
    ...(signal == null ? {} : { signal: Signals.toPosix(signal, platform) }),
  }))

const bounded = (
  name: string,
  value: number | null | undefined,
  least: number,
): Effect.Effect<number | undefined, ParamsError> =>
  value != null && (value < least || value > longestTimerMillis)
    ? Effect.fail(
        new ParamsError({
          message: `${name} must be from ${least} to ${longestTimerMillis} milliseconds (24 days): ${value}`,
        }),
      )
    : Effect.succeed(value ?? undefined)
