/** A task that many ask for: it runs once at a time, and once more behind that for all who have asked meanwhile. */

/** Whoever calls the result gets a run that begins after the call. */
export const oneAtATime = (run: () => Promise<void>): (() => Promise<void>) => {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    const mine = run().finally(() => {
      if (current === mine) current = undefined
    })
    current = mine
    return mine
  }
  return () => {
    if (current === undefined) return begin()
    next ??= current.then(ignore, ignore).then(() => {
      next = undefined
      return begin()
    })
    return next
  }
}

const ignore = () => {}
