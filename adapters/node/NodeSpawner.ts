/** Node's spawner: libc through koffi, descriptors as sockets; without libc, PTYs of the node-pty package. */
import * as Layer from "effect/Layer"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import * as HostSpawner from "../shared/process/HostSpawner.ts"
import * as NodePty from "../shared/process/NodePty.ts"
import * as SocketDescriptors from "../shared/process/posix/SocketDescriptors.ts"
import * as KoffiFfi from "./KoffiFfi.ts"

/** Spawners of this host, which contain the descendants of children as asked. */
export const toSpawner: HostSpawner.ToLayer = HostSpawner.make({
  native: { ffi: KoffiFfi.open, descriptors: SocketDescriptors.make },
  nodePty: NodePty.load,
})

/** The best spawner of this host: over libc if it can be called, else the portable one; a debug log says why. */
export const layerSpawner: Layer.Layer<Spawner.Spawner> = Layer.orDie(toSpawner())
