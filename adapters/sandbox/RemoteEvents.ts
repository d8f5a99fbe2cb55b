/** The events of a process on another procwire, as those of a child. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as EventFeed from "../../core/client/EventFeed.ts"
import type { ProcessEvent } from "../../core/client/ProcessEvent.ts"
import type { RemoteProcess } from "../../core/client/RemoteProcess.ts"
import type { OutputStream, SpawnEvents, Stdio } from "../../core/spawn/Spawner.ts"

/** What a handle needs of the events. */
export interface RemoteEvents {
  /** Ends the streams; no output follows. */
  readonly abandon: () => void
  /** True from the exit until the streams have ended on the server. */
  readonly lingers: () => boolean
  /** Delivers no output. */
  readonly pause: () => void
  readonly resume: () => void
}

/** Delivers the events of the process until the scope closes. */
export const follow = (
  process: RemoteProcess,
  { close, next }: EventFeed.Subscription,
  stdio: Stdio,
  events: SpawnEvents,
): Effect.Effect<RemoteEvents, never, Scope.Scope> =>
  Effect.gen(function* () {
    const open = new Set<OutputStream>(stdio.kind === "pty" ? ["pty"] : ["stdout", "stderr"])
    const going = Effect.unsafeMakeLatch(true)
    let [paused, abandoned, told, closed]: ReadonlyArray<boolean> = [false, false, false, false]
    let code: number | undefined

    const endAll = () => {
      for (const stream of open) {
        open.delete(stream)
        events.end(stream)
      }
    }
    const exit = (status: Parameters<SpawnEvents["exit"]>[0]) => {
      if (told) return
      told = true
      events.exit(status)
    }
    /** In its place among the events, unless nobody takes these now. */
    const exitNow = () => {
      if (code !== undefined && (paused || abandoned)) exit({ kind: "exited", code: code & 0xff })
    }
    const deliver = (event: ProcessEvent) => {
      if (event.kind === "output") {
        if (open.has(event.stream)) events.output(event.stream, event.bytes)
      } else if (event.kind === "exited") exit({ kind: "exited", code: event.exitCode & 0xff })
      else {
        closed = true
        endAll()
        // The link is lost for good, and the server kills what belongs to it.
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
    const exits = Effect.flatMap(process.exitCode, (value) =>
      Effect.sync(() => {
        code = value
        exitNow()
      }),
    )
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        close()
        open.clear()
        told = closed = true
      }),
    )
    // Once the caller has the handle.
    yield* Effect.forkScoped(Effect.zipRight(Effect.yieldNow(), loop))
    yield* Effect.forkScoped(Effect.ignore(Effect.zipRight(Effect.yieldNow(), exits)))
    return {
      abandon: () => {
        abandoned = true
        going.unsafeOpen()
        endAll()
        exitNow()
      },
      lingers: () => (told || code !== undefined) && !closed,
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
