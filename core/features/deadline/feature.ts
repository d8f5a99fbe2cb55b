/** Deadlines, on the server: a start names its times and its grace, and may ask for the cause of the end. */
import * as Grace from "../../process/Grace.ts"
import type { Feature } from "../Feature.ts"
import type { deadline as wire } from "./wire.ts"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Control from "../../process/Control.ts"
import type { Process } from "../../process/Process.ts"
import type { SpawnEvents } from "../../spawn/Spawner.ts"

export const deadline: Feature<typeof wire> = {
  announces: ({ host }) => ({ processDeadlines: host.platform !== "windows" }),
  fault: ({ timeoutMs, idleTimeoutMs, killGraceMs }) =>
    Grace.faultOf("timeoutMs", timeoutMs, 1) ??
    Grace.faultOf("idleTimeoutMs", idleTimeoutMs, 1) ??
    Grace.faultOf("killGraceMs", killGraceMs, 0),
  extend: (params, { host }) => {
    const { timeoutMs, idleTimeoutMs, killGraceMs, signalOnTimeout } = params
    const isTimed = timeoutMs != null || idleTimeoutMs != null
    const tellsCause = params.ending ?? isTimed
    if (!isTimed && !tellsCause && killGraceMs == null && signalOnTimeout == null) return undefined
    return ({ process, facts }, { clock }) => {
      process.cause.told = tellsCause
      process.grace = { ...process.grace, ...Grace.fromParams(signalOnTimeout, killGraceMs, host.platform) }
      if (!isTimed) return undefined
      // Less than all of it for a child that another server has started.
      const passed = clock.currentTimeMillisUnsafe() - facts.startedAtMs
      const timeoutMillis = timeoutMs == null ? undefined : Math.max(0, timeoutMs - passed)
      const times = { timeoutMillis, idleMillis: idleTimeoutMs ?? undefined }
      const deadline = new Deadline(process, times, clock)
      return { events: (events) => deadline.around(events), run: deadline.run() }
    }
  },
}

export interface Times {
  /** So many milliseconds from now on. */
  readonly timeoutMillis?: number | undefined
  /** The longest time without output, in milliseconds. */
  readonly idleMillis?: number | undefined
}

class Deadline {
  private readonly process: Process
  private readonly times: Times
  private readonly clock: Clock.Clock
  private lastOutput = 0

  constructor(process: Process, times: Times, clock: Clock.Clock) {
    this.process = process
    this.times = times
    this.clock = clock
  }

  /** The same events; with a bound on silence, the time of each output is taken down. */
  around(events: SpawnEvents): SpawnEvents {
    if (this.times.idleMillis === undefined) return events
    return {
      ...events,
      output: (stream, bytes) => {
        this.lastOutput = this.clock.currentTimeMillisUnsafe()
        events.output(stream, bytes)
      },
    }
  }

  /** Asks the process, which has just begun, to end when its time has come; completes when it has ended. */
  run(): Effect.Effect<void> {
    const { process } = this
    const { timeoutMillis, idleMillis } = this.times
    const timeout = timeoutMillis === undefined ? Effect.never : Effect.sleep(timeoutMillis)
    const idle = idleMillis === undefined ? Effect.never : this.silence(idleMillis)
    const due = Effect.raceFirst(
      Effect.as(timeout, "timeout" as const),
      Effect.as(idle, "idleTimeout" as const),
    )
    return Effect.flatMap(Effect.raceFirst(process.ended, due), (asked) =>
      asked === undefined ? Effect.void : Control.end(process, process.grace, asked),
    )
  }

  /** Completes when the process has written nothing for so long. Time in which it is paused does not count. */
  private silence(millis: number): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const { readers } = this.process
      let since = this.clock.currentTimeMillisUnsafe()
      for (;;) {
        const { paused, pauses } = readers
        const left = since + millis - this.clock.currentTimeMillisUnsafe()
        if (left <= 0) return
        yield* Effect.sleep(left)
        yield* readers.open
        since = Math.max(since, this.lastOutput)
        if (paused || readers.pauses !== pauses) since = this.clock.currentTimeMillisUnsafe()
      }
    })
  }
}
