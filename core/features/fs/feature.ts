/** `fs/*`, on the server. */
import type { Feature } from "../Feature.ts"
import { code } from "./SandboxedFiles.ts"
import type { fs as wire } from "./wire.ts"

export const fs: Feature<typeof wire> = {
  code,
  // Modes and links of Windows are others.
  announces: ({ files, host }) => ({ fsChange: files.available && host.platform !== "windows" }),
  handlers: (connection) => code.get()[0].make(connection),
}
