/**
 * What Deno provides. Files go through libc: its `node:fs` takes only UTF-8 names, and needs `--allow-all` for links
 * and /proc.
 */
import * as HostFiles from "../shared/files/HostFiles.ts"
import type { Platform } from "../shared/Platform.ts"
import * as DenoFfi from "./DenoFfi.ts"
import { layerSpawner, toSpawner } from "./DenoSpawner.ts"

export const platform: Platform = {
  layerSpawner,
  toSpawner,
  layerFiles: HostFiles.layerLibc(DenoFfi.open),
  openFfi: DenoFfi.open,
}
