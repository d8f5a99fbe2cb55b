// @ts-check
/**
 * Runs `work` for each, at most `width` at a time; the results in order.
 * @template T, R @param {readonly T[]} list @param {number} width @param {(one: T) => Promise<R>} work
 * @returns {Promise<R[]>}
 */
export const each = async (list, width, work) => {
  /** @type {R[]} */
  const results = []
  const entries = list.entries()
  const lane = async () => {
    for (const [index, one] of entries) results[index] = await work(one)
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}
