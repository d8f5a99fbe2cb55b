/** Spawners with a fault in their events. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import { withEvents, type Broken, type Events } from "./Broken.ts"

/** Holds back one chunk of each stream until `flush`. */
const holding = (events: Events, flush: (held: () => void, end: () => void) => void): Events => {
  const held = new Map<Spawner.OutputStream, Uint8Array>()
  const release = (stream: Spawner.OutputStream) => {
    const bytes = held.get(stream)
    held.delete(stream)
    if (bytes !== undefined) events.output(stream, bytes)
  }
  return {
    ...events,
    output: (stream, bytes) => {
      release(stream)
      held.set(stream, bytes.slice())
    },
    end: (stream) =>
      flush(
        () => release(stream),
        () => events.end(stream),
      ),
  }
}

export const events: { readonly [name: string]: Broken } = {
  "last-chunk-lost": {
    does: "loses the last chunk of each stream",
    caughtBy: "spawner/output/no-byte-lost-at-exit",
    reason: /runs of 500 that lost bytes: wanted 0, got 500/,
    make: withEvents((events) => holding(events, (_, end) => end())),
  },
  "end-before-the-last-output": {
    does: "ends a stream before its last chunk",
    caughtBy: "spawner/events/each-end-once-and-after-the-last-byte",
    reason: /output of stdout came after its end|the end is last/,
    make: withEvents((events) =>
      holding(events, (held, end) => {
        end()
        held()
      }),
    ),
  },
  "exit-told-twice": {
    does: "tells the exit twice",
    caughtBy: "spawner/events/exit-once",
    reason: /exits: wanted 1, got 2/,
    make: withEvents((events) => ({
      ...events,
      exit: (status) => {
        events.exit(status)
        events.exit(status)
      },
    })),
  },
  "end-told-twice": {
    does: "tells the end of stderr twice",
    caughtBy: "spawner/events/each-end-once-and-after-the-last-byte",
    reason: /the end of stderr was reported twice/,
    make: withEvents((events) => ({
      ...events,
      end: (stream) => {
        events.end(stream)
        if (stream === "stderr") events.end(stream)
      },
    })),
  },
  "exit-waits-for-the-streams": {
    does: "tells the exit only when every stream has ended",
    caughtBy: "spawner/exit/not-delayed-by-a-descendant",
    reason: /in vain for the exit/,
    make: withEvents((events) => {
      let open = 2
      let status: Spawner.ExitStatus | undefined
      const tell = () => {
        if (open <= 0 && status !== undefined) events.exit(status)
      }
      return {
        ...events,
        end: (stream) => {
          events.end(stream)
          open -= stream === "pty" ? 2 : 1
          tell()
        },
        exit: (ended) => {
          status = ended
          tell()
        },
      }
    }),
  },
  "event-before-success": {
    does: "tells of output before spawn has succeeded",
    caughtBy: "spawner/events/none-before-spawn-has-succeeded",
    reason: /output of stdout came before spawn had succeeded/,
    make: (good) => ({
      ...good,
      spawn: (spec, events) => {
        if (spec.argv[0] === "/bin/echo") events.output("stdout", new Uint8Array(0))
        return good.spawn(spec, events)
      },
    }),
  },
  "event-after-close": {
    does: "goes on telling of output after the scope has closed, for a while",
    caughtBy: "spawner/events/none-after-the-scope-has-closed",
    reason: /events after the scope had closed: wanted 0/,
    make: (good) => ({
      ...good,
      spawn: (spec, events) =>
        Effect.gen(function* () {
          const inner = yield* Scope.make()
          yield* Effect.addFinalizer(() =>
            Effect.sync(() => {
              setTimeout(() => Effect.runFork(Scope.close(inner, Exit.void)), 10)
            }),
          )
          return yield* Scope.provide(good.spawn(spec, events), inner)
        }),
    }),
  },
  "pause-that-buffers": {
    does: "goes on reading while paused, and delivers it at resume",
    caughtBy: "spawner/pause/stops-the-child",
    reason: /the child has written 4 MiB although nobody reads them, and exited/,
    make: (good) => ({
      ...good,
      spawn: (spec, events) => {
        const waiting: Array<() => void> = []
        let paused = false
        const later = (tell: () => void) => void (paused ? waiting.push(tell) : tell())
        return Effect.map(
          good.spawn(spec, {
            output: (stream, bytes) => {
              const copy = bytes.slice()
              later(() => events.output(stream, copy))
            },
            end: (stream) => later(() => events.end(stream)),
            exit: events.exit,
          }),
          (handle) => ({
            ...handle,
            pause: () => void (paused = true),
            resume: () => {
              paused = false
              for (const tell of waiting.splice(0)) tell()
            },
          }),
        )
      },
    }),
  },
}
