/** What a runtime brings to the command line and to programs; everything else they share. */
import type * as Layer from "effect/Layer"
import type { Files } from "../../core/files/Files.ts"
import type { Spawner } from "../../core/spawn/Spawner.ts"

export interface Platform {
  readonly layerSpawner: Layer.Layer<Spawner>
  readonly layerFiles: Layer.Layer<Files>
}
