/** What Bun provides. */
import * as HostFiles from "../shared/files/HostFiles.ts"
import type { Platform } from "../shared/Platform.ts"
import { layerSpawner } from "./BunSpawner.ts"

export const platform: Platform = { layerSpawner, layerFiles: HostFiles.layer }
