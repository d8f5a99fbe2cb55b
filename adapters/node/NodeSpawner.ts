/**
 * Node's spawner: `posix_spawn` where the C library can be called, `node:child_process` elsewhere.
 */
import { isMainThread } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Spawner from "../../core/spawn/Spawner.ts"
import * as GroupReaper from "../shared/GroupReaper.ts"
import * as PipeSpawner from "../shared/PipeSpawner.ts"
import * as ChildWatch from "./ChildWatch.ts"
import * as Libc from "./Libc.ts"
import * as PosixSpawner from "./PosixSpawner.ts"
import * as PtyDevice from "./PtyDevice.ts"

/** The best spawner of this host. Where that is the portable one, a debug log says why. */
export const layerSpawner: Layer.Layer<Spawner.Spawner> = Layer.scoped(
  Spawner.Spawner,
  Effect.gen(function* () {
    const groups = yield* GroupReaper.make
    const libc = isMainThread ? Libc.load() : Either.left("signals reach the main thread only")
    if (Either.isLeft(libc)) {
      yield* Effect.logDebug(`spawning through node:child_process: ${libc.left}`)
      return PipeSpawner.make(groups)
    }
    const device = PtyDevice.load(libc.right)
    if (Either.isLeft(device)) yield* Effect.logDebug(device.left)
    const host = { libc: libc.right, watch: ChildWatch.get(libc.right), groups }
    return PosixSpawner.make(host, Either.getOrUndefined(device))
  }),
)
