// @ts-check
// Figures over repetitions: their median and spread, and how they are written.

/** @param {readonly number[]} list */
export const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/**
 * Percents of the median between the least and the most.
 * @param {readonly number[]} list
 */
export const spread = (list) => {
  const middle = median(list)
  return middle ? ((Math.max(...list) - Math.min(...list)) / Math.abs(middle)) * 100 : 0
}

/**
 * Three digits that count.
 * @param {number | undefined} value
 */
export const written = (value = Number.NaN) => {
  const size = Math.abs(value)
  if (!Number.isFinite(value)) return "–"
  if (value === 0) return "0"
  if (size >= 1e6) return value.toExponential(2)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}
