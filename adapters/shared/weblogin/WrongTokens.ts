/**
 * Tries of wrong tokens by an address: ten at once, and then one in ten seconds. A token costs its try before it
 * is looked at, so that tries at the same time count, too; the right one gets it back.
 */

const most = 10
const refillMillis = 10_000

/** Addresses that are remembered; beyond it the one that was quiet for longest is forgotten. */
const mostAddresses = 4096

export interface WrongTokens {
  /** Takes one try. The result is how many milliseconds to wait before the next: 0 if this one was still allowed. */
  readonly take: (address: string) => number
  readonly giveBack: (address: string) => void
}

/** Makes a table without attempts; `now` is the time in milliseconds. */
export const make = (now: () => number): WrongTokens => {
  // When all tries of an address will be there again: each one that is taken puts it off.
  const fullAt = new Map<string, number>()
  const put = (address: string, at: number): void => {
    fullAt.delete(address)
    if (at > now()) fullAt.set(address, at)
    for (const [quietest] of fullAt) {
      if (fullAt.size <= mostAddresses) break
      fullAt.delete(quietest)
    }
  }
  return {
    take: (address) => {
      const at = Math.max(now(), fullAt.get(address) ?? 0) + refillMillis
      const wait = at - now() - most * refillMillis
      if (wait > 0) return wait
      put(address, at)
      return 0
    },
    giveBack: (address) => put(address, (fullAt.get(address) ?? 0) - refillMillis),
  }
}
