// Numbers that look random and are the same for each seed.

export const make = (seed) => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit) => Math.floor(next() * limit)
  return { next, below, chance: (share) => next() < share, pick: (list) => list[below(list.length)] }
}
