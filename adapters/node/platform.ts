/** What Node brings. */
import type { Platform } from "../shared/Platform.ts"
import { layerSpawner } from "./NodeSpawner.ts"

export const platform: Platform = { layerSpawner }
