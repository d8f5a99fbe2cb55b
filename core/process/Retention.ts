/**
 * The memory that all logs take together, and who gives way when it is too much: what has been closed longest
 * first, then what has been silent longest.
 *
 * Keeps a number and two orders of logs and knows nothing of chunks: it asks a log to shed, and a log never sheds
 * what an attached reader has yet to get. A step costs the same however many logs there are, since only so many
 * are asked; where all of those are held by readers it stays too much for now, which back-pressure bounds.
 */

/** A log as it is seen here. */
export interface Retained {
  /** Bytes of memory that it has reserved. */
  readonly reserved: () => number
  /** Gives memory back, as a change of what it counts for: everything it can, or its older half. */
  readonly shed: (everything: boolean) => void
}

export interface Retention {
  /** A log takes so many bytes more than before (or fewer). */
  readonly changed: (log: Retained, bytes: number) => void
  /** A log was written to: it is the last of the open ones to give way. */
  readonly written: (log: Retained) => void
  /** Nothing more will be written to it. */
  readonly closed: (log: Retained) => void
  /** It is nobody's any more. */
  readonly forget: (log: Retained) => void
  readonly total: () => number
  /** How often a log was made to shed. */
  readonly sheds: () => number
}

/** Logs that are asked to give way per step. */
const mostAsked = 32

export const make = (limit: number): Retention => {
  const closed = new Set<Retained>()
  const open = new Set<Retained>()
  let newest: Retained | undefined
  let total = 0
  let sheds = 0

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
          if (total < before) sheds += 1
        } while (total > limit && total < before && asked < mostAsked)
        // One that is empty comes back when it is written to; one that a reader holds goes behind the others.
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
    sheds: () => sheds,
  }
}
