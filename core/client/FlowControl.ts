/**
 * Back-pressure from the consumers of a client to its connection.
 *
 * Events wait in memory for their consumers. When the backlog of one exceeds `maxBacklog`, the client stops reading
 * from the connection; the server then pauses the child, and nothing is lost. That also stops everything else on the
 * connection. While a response is awaited, the client therefore keeps reading (the response is queued behind the
 * output), until all backlogs together exceed `maxTotalBacklog`.
 *
 * Where the server announces `processCredit`, it pushes no more of a process than it was granted (`CreditWindow`), and
 * what waits of that counts for nothing here: a consumer that does not read stops its process, not the connection.
 */

/** The most bytes that may wait for one consumer before reading stops: 1 MiB. */
export const maxBacklog = 1024 * 1024

/** The most bytes that may wait for all consumers of a connection while a response is awaited: 32 MiB. */
export const maxTotalBacklog = 32 * 1024 * 1024

/** The bytes that wait for one consumer. */
export interface Backlog {
  /** How many there are. */
  readonly waiting: () => number
  /** Adds bytes, or with a negative number removes them. */
  readonly add: (bytes: number) => void
  /** The consumer has left: its backlog no longer counts. */
  readonly end: () => void
}

export interface FlowControl {
  /** The backlog of a new consumer. Of it, only what exceeds the `granted` bytes counts. Default: all of it. */
  readonly backlog: (granted?: number) => Backlog
  /** True while reading is stopped. */
  readonly held: () => boolean
  /** A response is awaited from now until `requestDone`. */
  readonly requestSent: () => void
  readonly requestDone: () => void
}

/** Calls `hold` with true when reading is to stop, and with false when it is to go on. */
export const make = (hold: (held: boolean) => void): FlowControl => {
  let queued = 0
  let lagging = 0
  let awaited = 0
  let held = false

  const regulate = () => {
    const next = queued > maxTotalBacklog || (lagging > 0 && awaited === 0)
    if (next === held) return
    held = next
    hold(held)
  }

  return {
    held: () => held,
    backlog: (granted = 0) => {
      let waiting = 0
      let counted = 0
      const add = (bytes: number) => {
        const before = counted
        waiting += bytes
        counted = Math.max(0, waiting - granted)
        queued += counted - before
        lagging += (counted > maxBacklog ? 1 : 0) - (before > maxBacklog ? 1 : 0)
        regulate()
      }
      return { waiting: () => waiting, add, end: () => add(-waiting) }
    },
    requestSent: () => {
      awaited += 1
      regulate()
    },
    requestDone: () => {
      awaited -= 1
      regulate()
    },
  }
}
