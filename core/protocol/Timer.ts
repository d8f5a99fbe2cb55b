/** The bound of timers. */

/** The longest delay that those of all runtimes accept: 2^31 - 1 milliseconds, 24 days. A longer one ends at once. */
export const longestTimerMillis = 2 ** 31 - 1
