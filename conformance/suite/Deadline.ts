/**
 * Every wait of the suite has a deadline: a promise settles in time or fails with a sentence that names the wait.
 */
import { CheckFailure } from "./Check.ts"

/** Fails when `promise` has not settled after `ms` milliseconds. */
export const within = async <A>(promise: Promise<A>, ms: number, what: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CheckFailure(`waited ${ms} ms in vain for ${what}`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for `ms` milliseconds. Only to give the server time to do what it must not do. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
