/** What differs between Node, Bun and Deno for programs and the command line; everything else is shared. */
import type * as Layer from "effect/Layer"
import type { Files } from "../../core/files/Files.ts"
import type { Spawner } from "../../core/spawn/Spawner.ts"
import type { ToLayer } from "./process/HostSpawner.ts"
import type { Ffi } from "./process/posix/Ffi.ts"

/** The services of a runtime. */
export interface Platform {
  /** PTYs and pipes by libc, or pipes by `node:child_process` where libc is out of reach. */
  readonly layerSpawner: Layer.Layer<Spawner>
  /** The same, which contains the descendants of children as asked. */
  readonly toSpawner: ToLayer
  /** True if that starts processes on another machine, where nothing of this one can confine them. */
  readonly elsewhere?: boolean
  /** The file system of the host. */
  readonly layerFiles: Layer.Layer<Files>
  /** Calls the C library; throws where that is impossible. */
  readonly openFfi: () => Ffi
}
