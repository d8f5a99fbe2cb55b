/**
 * The spawner that a module of the user exports as a layer. The module brings an `effect` of its own, which may be of
 * another version than the one that runs it. Effects of both run on either, but the runtime logs a warning at each step
 * of the other. Of a loaded spawner nothing of that kind is logged, its finalizers included.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { quiet } from "../protocol/OtherEffect.ts"
import { type ChildHandle, Spawner } from "./Spawner.ts"

/** The layer, whichever `effect` it was made with. */
export const make = <E, R>(layer: Layer.Layer<Spawner, E, R>): Layer.Layer<Spawner, E, R> =>
  Layer.scoped(
    Spawner,
    Effect.gen(function* () {
      const loaded = yield* quiet(Layer.buildWithScope(layer, yield* scope))
      const { capabilities, spawn } = Context.get(loaded, Spawner)
      return {
        capabilities,
        spawn: (spec, events) =>
          Effect.flatMap(scope, (life) =>
            Effect.map(quiet(Scope.extend(spawn(spec, events), life)), handleOf),
          ),
      }
    }),
  )

/** A scope inside that of the caller: what closes it are effects of the module. */
const scope = Effect.acquireRelease(Scope.make(), (made, exit) => quiet(Scope.close(made, exit)))

const handleOf = (handle: ChildHandle): ChildHandle => {
  const { begin, outlived, pause, resize, resume } = handle
  return {
    pid: handle.pid,
    write: (bytes) => quiet(handle.write(bytes)),
    endStdin: quiet(handle.endStdin),
    signal: (signal) => quiet(handle.signal(signal)),
    kill: quiet(handle.kill),
    abandonOutput: quiet(handle.abandonOutput),
    lingering: quiet(handle.lingering),
    ...(begin && { begin: (bytes) => begun(begin.call(handle, bytes)) }),
    ...(outlived && { outlived: quiet(outlived) }),
    ...(resize && { resize: (size) => quiet(resize.call(handle, size)) }),
    ...(pause && { pause: () => pause.call(handle) }),
    ...(resume && { resume: () => resume.call(handle) }),
  }
}

/** `Effect.void` of the other `effect` is that of this one. */
const begun = (write: ReturnType<ChildHandle["write"]>): ReturnType<ChildHandle["write"]> =>
  Exit.isExit(write) && Exit.isSuccess(write) ? Effect.void : quiet(write)
