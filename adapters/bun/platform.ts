/** What Bun provides. */
import * as HostFiles from "../shared/files/HostFiles.ts"
import type { Platform } from "../shared/Platform.ts"
import * as BunFfi from "./BunFfi.ts"
import { layerSpawner } from "./BunSpawner.ts"

export const platform: Platform = { layerSpawner, layerFiles: HostFiles.layer, openFfi: BunFfi.open }
