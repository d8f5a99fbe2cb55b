/**
 * The deadlines of one process, for a process whose start has named one; no other process has this.
 *
 * They are the server's: they run in a fiber of the session, whether a client is attached or not. A process that has
 * ended is asked nothing. At a deadline, or at a terminate with a grace, the group gets a signal, and after the grace
 * what is left of the process and its descendants is killed.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ChildHandle, SpawnEvents } from "../spawn/Spawner.ts"
import type { Asked, Grace } from "./Cause.ts"
import * as Control from "./Control.ts"
import type { Process } from "./Process.ts"

/** When a process has to end. */
export interface Times {
  /** So many milliseconds after its spawn. */
  readonly timeoutMillis?: number | undefined
  /** When it has written nothing for so many milliseconds. */
  readonly idleMillis?: number | undefined
}

/** How long the pipes of killed descendants may take to end, in milliseconds, before they are abandoned. */
const farewellMillis = 1000

/** The deadlines of one process. */
export class Deadline {
  private readonly clock: Clock.Clock
  private readonly times: Times
  private readonly grace: Grace
  private lastOutput = 0

  constructor(clock: Clock.Clock, times: Times, grace: Grace) {
    this.clock = clock
    this.times = times
    this.grace = grace
  }

  /** The same events; with a bound on silence, the time of each output is taken down. */
  around(events: SpawnEvents): SpawnEvents {
    if (this.times.idleMillis === undefined) return events
    return {
      ...events,
      output: (stream, bytes) => {
        this.lastOutput = this.clock.unsafeCurrentTimeMillis()
        events.output(stream, bytes)
      },
    }
  }

  /** Asks the process, which has just begun, to end when its time has come; completes when it has ended. */
  run(process: Process): Effect.Effect<void> {
    const { timeoutMillis, idleMillis } = this.times
    const timeout = timeoutMillis === undefined ? Effect.never : Effect.sleep(timeoutMillis)
    const idle = idleMillis === undefined ? Effect.never : this.silence(process, idleMillis)
    const due = Effect.raceFirst(
      Effect.as(timeout, "timeout" as const),
      Effect.as(idle, "idleTimeout" as const),
    )
    return Effect.flatMap(Effect.raceFirst(process.ended, due), (asked) =>
      asked === undefined ? Effect.void : end(process, this.grace, asked),
    )
  }

  /** Completes when the process has written nothing for so long. Time in which it is paused does not count. */
  private silence(process: Process, millis: number): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const { readers } = process
      let since = this.clock.unsafeCurrentTimeMillis()
      for (;;) {
        const { paused, pauses } = readers
        const left = since + millis - this.clock.unsafeCurrentTimeMillis()
        if (left <= 0) return
        yield* Effect.sleep(left)
        yield* readers.open
        since = Math.max(since, this.lastOutput)
        if (paused || readers.pauses !== pauses) since = this.clock.unsafeCurrentTimeMillis()
      }
    })
  }
}

/**
 * Asks a running process to end, and kills what is left after the grace. Completes when nothing is left, or is killed.
 */
export const end = (process: Process, { signal, millis }: Grace, asked: Asked): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { child } = process
    if (child === undefined || process.hasEnded) return
    process.cause.ask(asked)
    if (millis === 0) return yield* Control.terminate(process)
    const until = (yield* Clock.currentTimeMillis) + millis
    yield* Effect.ignore(child.signal(signal))
    // A stopped process handles the signal only when it continues.
    if (signal !== "SIGSTOP") yield* Effect.ignore(child.signal("SIGCONT"))
    yield* Effect.timeoutOption(process.ended, millis)
    if (!process.hasEnded) return yield* Control.terminate(process)
    if (!(yield* hasDescendants(child))) return
    yield* Effect.sleep(Math.max(0, until - (yield* Clock.currentTimeMillis)))
    if (!(yield* hasDescendants(child))) return
    yield* child.kill
    yield* Effect.timeoutOption(process.whenClosed, farewellMillis)
    if (process.closed === undefined) yield* child.abandonOutput
  })

/** True while somebody is left of the child that has exited. */
export const hasDescendants = (child: ChildHandle): Effect.Effect<boolean> =>
  Effect.flatMap(child.lingering, (lingering) =>
    lingering ? Effect.succeed(true) : (child.outlived ?? Effect.succeed(false)),
  )
