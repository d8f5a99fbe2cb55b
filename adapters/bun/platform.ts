/** What Bun provides. */
import * as HostFiles from "../shared/files/HostFiles.ts"
import type { Platform } from "../shared/Platform.ts"
import * as BunFfi from "./BunFfi.ts"
import { layerSpawner, toSpawner } from "./BunSpawner.ts"

export const platform: Platform = {
  layerSpawner,
  toSpawner,
  layerFiles: HostFiles.layer,
  openFfi: BunFfi.open,
}
