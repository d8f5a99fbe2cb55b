/** The history of a process: all that it prints, in files of the server. `view/History` shows it. */
import type { Feature } from "./Feature.ts"

/** The size of one, in bytes. */
const maxBytes = 64 * 1024 * 1024

export const history: Feature = {
  start: (can) => (can("outputHistory") ? { history: { maxBytes } } : {}),
}
