/**
 * The services that a runtime brings, and those of the command line, whose parts are loaded when a server wants them:
 * most commands start no processes, and have no files.
 */
import type * as Layer from "effect/Layer"
import type { Files } from "../../core/files/Files.ts"
import type { Spawner } from "../../core/spawn/Spawner.ts"
import * as Lazy from "./Lazy.ts"
import type * as HostSpawner from "./process/HostSpawner.ts"
import type { Ffi } from "./process/posix/Ffi.ts"
import * as BunFfi from "./runtime/BunFfi.ts"
import type { Early } from "./start/Early.ts"
import * as DenoFfi from "./runtime/DenoFfi.ts"
import * as KoffiFfi from "./runtime/KoffiFfi.ts"

/** The services of a runtime. */
export interface Platform {
  /** PTYs and pipes by libc, or pipes by `node:child_process` where libc is out of reach. */
  readonly layerSpawner: Layer.Layer<Spawner>
  /** The same, which contains the descendants of children as asked. */
  readonly toSpawner: HostSpawner.ToLayer
  /** True if that starts processes on another machine, where nothing of this one can confine them. */
  readonly elsewhere?: boolean
  /** The file system of the host. */
  readonly layerFiles: Layer.Layer<Files>
  /** Calls the C library; throws where that is impossible. */
  readonly openFfi: () => Ffi
  /** The start of the command, if this process is one whose answer to `initialize` can be kept. */
  readonly early?: Early | undefined
}

const load = () => import("./HostPlatform.ts")

/** The platform of this runtime for the command line: that of `HostPlatform.ts`, loaded with the first layer. */
export const platform: Platform = {
  layerSpawner: Lazy.layer(load, (host) => host.platform.layerSpawner),
  toSpawner: (choices) => Lazy.layer(load, (host) => host.platform.toSpawner(choices)),
  layerFiles: Lazy.layer(load, (host) => host.platform.layerFiles),
  openFfi: "Bun" in globalThis ? BunFfi.open : "Deno" in globalThis ? DenoFfi.open : KoffiFfi.open,
}
