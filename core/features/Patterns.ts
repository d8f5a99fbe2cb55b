/** The compiler of the patterns of waits and searches, one for each server. */
import { PatternCache } from "../pattern/PatternCache.ts"
import type { Shared } from "./Feature.ts"

const known = new WeakMap<Shared, PatternCache>()

export const of = (shared: Shared): PatternCache => {
  const found = known.get(shared) ?? new PatternCache()
  known.set(shared, found)
  return found
}
