/** What Node provides. */
import * as HostFiles from "../shared/files/HostFiles.ts"
import type { Platform } from "../shared/Platform.ts"
import * as KoffiFfi from "./KoffiFfi.ts"
import { layerSpawner, toSpawner } from "./NodeSpawner.ts"

export const platform: Platform = {
  layerSpawner,
  toSpawner,
  layerFiles: HostFiles.layer,
  openFfi: KoffiFfi.open,
}
