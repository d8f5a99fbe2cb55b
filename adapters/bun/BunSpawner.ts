/** Bun's spawner: libc through `bun:ffi`, descriptors as files. */
import type * as Layer from "effect/Layer"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import * as HostSpawner from "../shared/process/HostSpawner.ts"
import * as BunFfi from "./BunFfi.ts"
import * as FileDescriptors from "./FileDescriptors.ts"

/** The best spawner of this host: over libc if it can be called, else the portable one; a debug log says why. */
export const layerSpawner: Layer.Layer<Spawner.Spawner> = HostSpawner.layer({
  native: { ffi: BunFfi.open, descriptors: FileDescriptors.make },
})
