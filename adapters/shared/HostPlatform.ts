/**
 * The differences of Node, Bun and Deno for programs: how each calls the C library, and waits for descriptors.
 * Everything else is shared.
 */
import * as Layer from "effect/Layer"
import type { Spawner } from "../../core/spawn/Spawner.ts"
import * as HostFiles from "./files/HostFiles.ts"
import * as HostSpawner from "./process/HostSpawner.ts"
import * as NodePty from "./process/NodePty.ts"
import type { Platform } from "./Platform.ts"
import * as SocketDescriptors from "./process/posix/SocketDescriptors.ts"
import * as BunDescriptors from "./runtime/BunDescriptors.ts"
import * as BunFfi from "./runtime/BunFfi.ts"
import * as DenoFfi from "./runtime/DenoFfi.ts"
import * as KoffiFfi from "./runtime/KoffiFfi.ts"

const make = (
  openFfi: Platform["openFfi"],
  layerFiles: Platform["layerFiles"],
  descriptors: HostSpawner.Native["descriptors"],
  options: Pick<HostSpawner.Options, "nodePty"> = {},
): Platform => {
  const toSpawner = HostSpawner.make({ native: { ffi: openFfi, descriptors }, ...options })
  return { layerSpawner: Layer.orDie(toSpawner()), toSpawner, layerFiles, openFfi }
}

/**
 * The platform of this runtime. Bun makes no sockets of pipes. `node:fs` of Deno takes only UTF-8 names, and needs
 * `--allow-all` for links and /proc, so its files go through libc. The node-pty package works on Node alone.
 */
export const platform: Platform =
  "Bun" in globalThis
    ? make(BunFfi.open, HostFiles.layer, BunDescriptors.make)
    : "Deno" in globalThis
      ? make(DenoFfi.open, HostFiles.layerLibc(DenoFfi.open), SocketDescriptors.make)
      : make(KoffiFfi.open, HostFiles.layer, SocketDescriptors.make, { nodePty: NodePty.load })

/** The best spawner of this host: over libc if it can be called, else the portable one; a debug log says why. */
export const layerSpawner: Layer.Layer<Spawner> = platform.layerSpawner
