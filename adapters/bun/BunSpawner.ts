/** Bun's spawner: libc through `bun:ffi`, descriptors as files. */
import * as Layer from "effect/Layer"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import * as HostSpawner from "../shared/process/HostSpawner.ts"
import * as BunFfi from "./BunFfi.ts"
import * as FileDescriptors from "./FileDescriptors.ts"

/** Spawners of this host, which contain the descendants of children as asked. */
export const toSpawner: HostSpawner.ToLayer = HostSpawner.make({
  native: { ffi: BunFfi.open, descriptors: FileDescriptors.make },
})

/** The best spawner of this host: over libc if it can be called, else the portable one; a debug log says why. */
export const layerSpawner: Layer.Layer<Spawner.Spawner> = Layer.orDie(toSpawner())
