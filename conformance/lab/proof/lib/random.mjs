// @ts-check
// Pseudo-random numbers, the same for the same seed (mulberry32).

/** @typedef {ReturnType<typeof make>} Random */

/** @param {number} seed an integer of 32 bits */
export const make = (seed) => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** @param {number} limit */
  const below = (limit) => Math.floor(next() * limit)
  return {
    /** At least 0, less than 1. */
    next,
    /** An integer, at least 0 and less than the limit. */
    below,
    /** True in this share of the calls. @param {number} share */
    chance: (share) => next() < share,
    /**
     * One of a list that is not empty.
     * @template T
     * @param {readonly T[]} list
     * @returns {T}
     */
    pick: (list) => {
      const index = below(list.length)
      if (index in list) return /** @type {T} */ (list[index])
      throw new Error("nothing to pick from")
    },
  }
}
