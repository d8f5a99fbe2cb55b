/**
 * Every wait of the suite has a deadline: a promise settles in time or fails with a sentence that names the wait.
 */
import { CheckFailure } from "./Check.ts"

/**
 * Fails when `promise` has not settled `ms` milliseconds after the last sign of life; `lastSign` returns when that was,
 * by `performance.now()`. The call itself is one.
 */
export const within = async <A>(
  promise: Promise<A>,
  ms: number,
  what: string,
  lastSign: () => number = () => 0,
): Promise<A> => {
  const began = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const look = (): void => {
      const left = Math.max(began, lastSign()) + ms - performance.now()
      if (left > 0) timer = setTimeout(look, left)
      else reject(new CheckFailure(`waited ${ms} ms in vain for ${what}`, "late"))
    }
    look()
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for `ms` milliseconds. Only to give the server time to do what it must not do. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
