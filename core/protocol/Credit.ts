/** The cost of output in the credit of its process; see `process/credit`. */

/** The cost of a chunk of so many bytes: at least 64, because a small one costs more than its bytes. */
export const creditOf = (bytes: number): number => Math.max(bytes, 64)

/** The least credit of a start, which the largest chunk fits in. */
export const leastCredit = 65_536
