/** What Bun brings. */
import type { Platform } from "../shared/Platform.ts"
import { layerSpawner } from "./BunSpawner.ts"

export const platform: Platform = { layerSpawner }
