/**
 * The memory that all logs of a server take together. Above the limit logs have to shed: first those that have been
 * closed longest, then those that have been silent longest.
 *
 * It keeps a sum and two ordered sets of logs, and knows nothing of chunks. A log never sheds what an attached reader
 * has yet to get. Each step asks at most `mostAsked` logs, so its cost does not grow with their number; if readers hold
 * all of those, the sum stays above the limit for now, which back-pressure bounds.
 */

/** A log, as far as this module knows it. */
export interface Retained {
  /** Bytes of memory that the log has reserved. */
  readonly reserved: () => number
  /** Gives memory back and reports that with `changed`: everything that no reader needs, or the older half. */
  readonly shed: (everything: boolean) => void
}

/** The memory account of one server. Its methods are plain functions that logs call. */
export interface Retention {
  /** A log has reserved so many bytes more than before, or fewer if negative. */
  readonly changed: (log: Retained, bytes: number) => void
  /** A log was written to: of the open logs it sheds last. */
  readonly written: (log: Retained) => void
  /** Nothing more will be written to the log. */
  readonly closed: (log: Retained) => void
  /** The log counts no longer. */
  readonly forget: (log: Retained) => void
  /** Bytes of memory that all logs have reserved. */
  readonly total: () => number
}

/** Logs that one step asks to shed. */
const mostAsked = 32

/** An account with a limit in bytes. */
export const make = (limit: number): Retention => {
  const closed = new Set<Retained>()
  const open = new Set<Retained>()
  let newest: Retained | undefined
  let total = 0

  const makeRoom = () => {
    let asked = 0
    for (const logs of [closed, open]) {
      for (const log of logs) {
        if (total <= limit || asked === mostAsked) return
        let before: number
        do {
          asked += 1
          before = total
          log.shed(logs === closed)
        } while (total > limit && total < before && asked < mostAsked)
        // An empty log is added again when it grows; one that a reader holds is asked last the next time.
        if (total <= limit && log.reserved() > 0) return
        logs.delete(log)
        if (log.reserved() > 0) logs.add(log)
      }
    }
  }

  return {
    changed: (log, bytes) => {
      total += bytes
      if (bytes <= 0) return
      if (!closed.has(log) && !open.has(log)) open.add(log)
      if (total > limit) makeRoom()
    },
    written: (log) => {
      if (log === newest) return
      newest = log
      if (open.delete(log)) open.add(log)
    },
    closed: (log) => {
      if (open.delete(log)) closed.add(log)
      if (log === newest) newest = undefined
    },
    forget: (log) => {
      open.delete(log)
      closed.delete(log)
      if (log === newest) newest = undefined
      total -= log.reserved()
    },
    total: () => total,
  }
}
