/**
 * Every wait of the suite has an end: a promise either settles in time or fails with a sentence that names what was awaited.
 */
import { CheckFailure } from "./Check.ts"

/** Fails with a clear text when `promise` has not settled after `ms`. */
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

/** Waits without a condition. Only for giving the server a chance to do what it must not do. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
