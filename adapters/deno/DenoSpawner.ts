/** Deno's spawner: libc through `Deno.dlopen`, descriptors as sockets. */
import type * as Layer from "effect/Layer"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import * as HostSpawner from "../shared/process/HostSpawner.ts"
import * as SocketDescriptors from "../shared/process/posix/SocketDescriptors.ts"
import * as DenoFfi from "./DenoFfi.ts"

/** The best spawner of this host: over libc if it can be called, else the portable one; a debug log says why. */
export const layerSpawner: Layer.Layer<Spawner.Spawner> = HostSpawner.layer({
  native: { ffi: DenoFfi.open, descriptors: SocketDescriptors.make },
})
