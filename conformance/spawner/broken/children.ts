/** Spawners with a fault in their children or in the handles. */
import { openSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Struct from "effect/Struct"
import { withHandle, withSpec, type Broken, type Service } from "./Broken.ts"

/** The child lives in a scope that never ends; the end of its own scope kills only the child, or nothing. */
const leaking =
  (kills: "child" | "nobody") =>
  (good: Service): Service => ({
    ...good,
    spawn: (spec, events) =>
      Effect.gen(function* () {
        let muted = false
        let running = true
        const unlessMuted = (tell: () => void) => (muted ? undefined : tell())
        const handle = yield* Scope.provide(
          good.spawn(spec, {
            output: (stream, bytes) => unlessMuted(() => events.output(stream, bytes)),
            end: (stream) => unlessMuted(() => events.end(stream)),
            exit: (status) => {
              running = false
              unlessMuted(() => events.exit(status))
            },
          }),
          yield* Scope.make(),
        )
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            muted = true
            if (kills === "child" && running && handle.pid !== undefined) process.kill(handle.pid, "SIGKILL")
          }),
        )
        return handle
      }),
  })

export const children: { readonly [name: string]: Broken } = {
  "group-not-killed": {
    does: "kills the child at the end of the scope, but not its descendants",
    caughtBy: "spawner/scope/kills-the-group",
    reason: /still alive: descendant, second/,
    make: leaking("child"),
  },
  "nothing-killed": {
    does: "lets the child run on after the end of the scope",
    caughtBy: "spawner/scope/kills-the-child",
    reason: /still alive: child/,
    make: leaking("nobody"),
  },
  "signal-for-the-child-alone": {
    does: "sends signals to the child and not to its group",
    caughtBy: "spawner/group/signal-reaches-everyone",
    reason: /in vain for the exit and the end of every stream/,
    make: withHandle((handle) => ({
      ...handle,
      signal: (name) =>
        Effect.sync(() => {
          if (handle.pid !== undefined) process.kill(handle.pid, name)
        }),
    })),
  },
  "directory-ignored": {
    does: "starts every child in /",
    caughtBy: "spawner/program/directory-exact",
    reason: /the directory: wanted .* got "\/\\n"/,
    make: withSpec((spec) => ({ ...spec, cwd: "/" })),
  },
  "variable-added": {
    does: "adds TERM to the environment",
    caughtBy: "spawner/program/environment-exact",
    reason: /"TERM=dumb"/,
    make: withSpec((spec) => ({ ...spec, env: { ...spec.env, TERM: "dumb" } })),
  },
  "arg0-ignored": {
    does: "declares arg0 and ignores it",
    caughtBy: "spawner/program/arg0-is-seen",
    reason: /argv\[0\]: wanted "zero 0\\n", got "\/bin\/sh\\n"/,
    make: withSpec((spec) => ({ ...spec, arg0: undefined })),
  },
  "descriptor-leaked": {
    does: "leaves a descriptor open for each child",
    caughtBy: "spawner/load/nothing-is-left",
    reason: /in vain for descriptors to be/,
    make: withSpec((spec) => {
      openSync("/dev/null", "r")
      return spec
    }),
  },
  "pause-without-effect": {
    does: "declares pause, and goes on reading",
    caughtBy: "spawner/pause/stops-the-child",
    reason: /4194304 bytes arrived while the child was paused/,
    make: withHandle((handle) => ({ ...handle, pause: () => {} })),
  },
  "pause-missing": {
    does: "declares pause, and its handle has none",
    caughtBy: "spawner/pause/stops-the-child",
    reason: /the capability is declared, but the handle has no pause/,
    make: withHandle((handle) => Struct.omit(handle, ["pause", "resume"])),
  },
  "resize-without-effect": {
    does: "declares resize, and does nothing",
    caughtBy: "spawner/pty/resize-is-seen",
    reason: /in vain for the exit and the end of every stream/,
    make: withHandle((handle) => ({ ...handle, resize: () => Effect.void })),
  },
  "write-never-waits": {
    does: "takes every write at once, however little the child reads",
    caughtBy: "spawner/stdin/write-waits-for-the-reader",
    reason: /4 MiB were taken although the child does not read/,
    make: withHandle((handle) => ({
      ...handle,
      write: (bytes) => Effect.sync(() => void Effect.runFork(handle.write(bytes))),
    })),
  },
  "write-keeps-memory": {
    does: "writes from the memory of its caller after the write",
    caughtBy: "spawner/stdin/memory-is-free-after-a-write",
    reason: /cat prints what was written/,
    make: withHandle((handle) => {
      let held: Uint8Array = new Uint8Array(0)
      return {
        ...handle,
        write: (bytes) =>
          Effect.suspend(() => {
            const before = held
            held = bytes.subarray(bytes.length - 1)
            const now = Buffer.concat([before, bytes.subarray(0, bytes.length - 1)])
            return bytes.length < 60_000 ? handle.write(bytes) : handle.write(now)
          }),
        endStdin: Effect.suspend(() => Effect.andThen(Effect.ignore(handle.write(held)), handle.endStdin)),
      }
    }),
  },
  "output-not-given-up": {
    does: "ignores abandonOutput",
    caughtBy: "spawner/output/given-up",
    reason: /the streams that have ended: wanted \["stderr","stdout"\], got \[\]/,
    make: withHandle((handle) => ({ ...handle, abandonOutput: Effect.void })),
  },
  "reason-unknown": {
    does: "tells every refusal as Unknown",
    caughtBy: "spawner/errors/program-missing",
    reason: /wanted \["NotFound",/,
    make: (good) => ({
      ...good,
      spawn: (spec, events) =>
        Effect.mapError(good.spawn(spec, events), (error) =>
          Object.assign(error, { reason: "Unknown" as const }),
        ),
    }),
  },
}
