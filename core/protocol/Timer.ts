/** What the timers of all runtimes accept. */

/** Their longest delay: 2^31 - 1 milliseconds, 24 days. With a longer one they fire at once. */
export const longestTimerMillis = 2 ** 31 - 1
