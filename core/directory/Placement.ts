/** Selects the host of a session: of two random ones that fit the one with fewer failed starts, then the emptier one. */
import type { HostRow } from "./Book.ts"
import type { Labels } from "./Directory.ts"
import type { Settings } from "./DirectoryOptions.ts"
import type { Obstacle } from "./Refusals.ts"

/**
 * The obstacle to a session on a host; undefined if there is none. After failed starts it rests, and then gets one
 * claim at a time until one comes true. `pending` are the hosts that have a claim without confirmation.
 */
export const obstacle = (
  row: HostRow,
  labels: Labels,
  time: number,
  { failures }: Settings,
  pending: ReadonlySet<string>,
): Obstacle | undefined => {
  if (!matches(row.labels, labels)) return "other labels"
  if (row.state !== "up" || time - row.renewedAt > row.leaseMillis) return "lost"
  if (row.draining) return "draining"
  if (row.used >= row.capacity) return "full"
  if (row.failures >= failures && (time < row.restUntil || pending.has(row.hostId)))
    return "resting after failed starts"
  return undefined
}

/** True if a host has every label of the request. */
export const matches = (has: Labels, asked: Labels): boolean =>
  Object.entries(asked).every(([name, value]) => Object.hasOwn(has, name) && has[name] === value)

/** One of those that fit; undefined if none does. `random` gives whole numbers from 0 to below its argument. */
export const choose = (
  fit: ReadonlyArray<HostRow>,
  random: (below: number) => number,
): HostRow | undefined => {
  if (fit.length < 2) return fit[0]
  const one = random(fit.length)
  const other = (one + 1 + random(fit.length - 1)) % fit.length
  const [first, second] = [fit[one], fit[other]]
  return first === undefined || second === undefined || isBetter(first, second) ? first : second
}

const isBetter = (one: HostRow, other: HostRow): boolean =>
  one.failures === other.failures
    ? one.used * other.capacity <= other.used * one.capacity
    : one.failures < other.failures

/** The number of hosts that each obstacle excludes. */
export const countsOf = (found: ReadonlyArray<Obstacle | undefined>): Partial<Record<Obstacle, number>> => {
  const counts: Partial<Record<Obstacle, number>> = {}
  for (const one of found) if (one !== undefined) counts[one] = (counts[one] ?? 0) + 1
  return counts
}
