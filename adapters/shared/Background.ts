/**
 * What lets a program end while its client is idle, and keeps it alive while the client is busy. It is the same for
 * every way to a server: nothing of the client holds the event loop, but one timer, while there is something to wait
 * for.
 */
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { longestTimerMillis } from "../../core/protocol/Timer.ts"

const system = Clock.make()

/** The clock of the system, whose timers do not keep the program alive. */
export const clock: Clock.Clock = {
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => system.unsafeCurrentTimeMillis(),
  unsafeCurrentTimeNanos: () => system.unsafeCurrentTimeNanos(),
  currentTimeMillis: system.currentTimeMillis,
  currentTimeNanos: system.currentTimeNanos,
  sleep: (duration) =>
    Effect.async<void>((resume) => {
      const millis = Duration.toMillis(duration)
      if (millis > longestTimerMillis) return
      const timer = setTimeout(() => resume(Effect.void), millis).unref()
      return Effect.sync(() => clearTimeout(timer))
    }),
}

/** A function that keeps the program alive from true to false. */
export const holder = (): ((busy: boolean) => void) => {
  let timer: NodeJS.Timeout | undefined
  return (busy) => {
    clearInterval(timer)
    timer = busy ? setInterval(() => {}, longestTimerMillis) : undefined
  }
}
