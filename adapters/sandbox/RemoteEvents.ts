/** The events of a process on another procwire, as those of a child. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as EventFeed from "../../core/client/EventFeed.ts"
import type { ProcessEvent } from "../../core/client/ProcessEvent.ts"
import type { RemoteProcess } from "../../core/client/RemoteProcess.ts"
import type { OutputStream, SpawnEvents, Stdio } from "../../core/spawn/Spawner.ts"
import * as RemoteEnd from "./RemoteEnd.ts"

/** What a handle needs. */
export interface RemoteEvents {
  /** Ends the streams; no output follows. */
  readonly abandon: () => void
  readonly killed: () => void
  readonly exited: () => boolean
  /** True from the exit until the streams have ended on the server. */
  readonly lingers: () => boolean
  /** Delivers no output. */
  readonly pause: () => void
  readonly resume: () => void
}

/** Delivers the events of the process until the scope closes, once the caller has the handle. */
export const follow = (
  process: RemoteProcess,
  { close, next }: EventFeed.Subscription,
  stdio: Stdio,
  events: SpawnEvents,
): Effect.Effect<RemoteEvents, never, Scope.Scope> =>
  Effect.gen(function* () {
    const open = new Set<OutputStream>(stdio.kind === "pty" ? ["pty"] : ["stdout", "stderr"])
    const [going, killed] = [Effect.unsafeMakeLatch(true), Effect.unsafeMakeLatch(false)]
    let [paused, abandoned, told, closed]: ReadonlyArray<boolean> = [false, false, false, false]
    let code: number | undefined
    const exited = () => told || code !== undefined
    const endAll = () => {
      for (const stream of open) if (open.delete(stream)) events.end(stream)
    }
    const exit: SpawnEvents["exit"] = (status, ending) => {
      if (told) return
      told = true
      events.exit(status, ending)
    }
    // The exit has its place among the events, unless nobody takes these now.
    const exitNow = () => {
      if (code !== undefined && (paused || abandoned)) exit({ kind: "exited", code: code & 0xff })
    }
    const deliver = (event: ProcessEvent) => {
      if (event.kind === "output") {
        if (open.has(event.stream)) events.output(event.stream, event.bytes)
      } else if (event.kind === "exited")
        exit({ kind: "exited", code: event.exitCode & 0xff }, RemoteEnd.endingOf(event))
      else {
        closed = true
        endAll()
        if (event.kind === "failed") exit({ kind: "signaled", signal: 9 })
      }
    }
    const loop = Effect.gen(function* () {
      for (let batch = yield* next; batch !== undefined; batch = yield* next)
        for (const event of batch) {
          if (paused && !abandoned) yield* going.await
          deliver(event)
        }
    })
    const afterKill = Effect.zipRight(killed.await, RemoteEnd.codeOfKilled(process))
    const exits = Effect.map(Effect.raceFirst(process.exitCode, afterKill), (value) => {
      code = value
      exitNow()
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        close()
        open.clear()
        told = closed = true
      }),
    )
    for (const each of [loop, Effect.ignore(exits)])
      yield* Effect.forkScoped(Effect.zipRight(Effect.yieldNow(), each))
    return {
      abandon: () => {
        abandoned = true
        going.unsafeOpen()
        endAll()
        exitNow()
      },
      exited,
      killed: () => void killed.unsafeOpen(),
      lingers: () => exited() && !closed,
      pause: () => {
        paused = true
        going.unsafeClose()
        exitNow()
      },
      resume: () => {
        paused = false
        going.unsafeOpen()
      },
    }
  })
