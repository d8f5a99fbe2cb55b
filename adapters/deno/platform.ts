/** What Deno brings. */
import type { Platform } from "../shared/Platform.ts"
import { layerSpawner } from "./DenoSpawner.ts"

export const platform: Platform = { layerSpawner }
