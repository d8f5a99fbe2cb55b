/**
 * How much a client takes from its connection.
 *
 * Events wait in memory for whoever consumes them. When a consumer lags by more than `maxBacklog`, nothing more
 * is taken from the connection: the server notices, pauses the child, and nothing is lost. That holds up
 * everything else on the connection, so while an answer is awaited, taking goes on (the answer lies behind
 * the output) up to `maxTotalBacklog` over all consumers. One bounded client is the price of a slow consumer, and
 * its neighbours on the connection pay it too; who cannot have that opens a second connection.
 */

/** What may wait for one consumer, in bytes: 1 MiB. */
export const maxBacklog = 1024 * 1024

/** What may wait for all consumers of a connection, in bytes: 32 MiB. */
export const maxTotalBacklog = 32 * 1024 * 1024

/** What waits for one consumer. */
export interface Backlog {
  /** So many bytes more wait, or fewer. */
  readonly add: (bytes: number) => void
  /** The consumer is gone. */
  readonly end: () => void
}

export interface FlowControl {
  readonly backlog: () => Backlog
  /** True while nothing more is to be taken. */
  readonly held: () => boolean
  /** An answer is awaited, from now until `requestDone`. */
  readonly requestSent: () => void
  readonly requestDone: () => void
}

/** `hold` is called with true when nothing more is to be taken, and with false when taking goes on. */
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
    backlog: () => {
      let waiting = 0
      const add = (bytes: number) => {
        const before = waiting > maxBacklog
        waiting += bytes
        queued += bytes
        lagging += (waiting > maxBacklog ? 1 : 0) - (before ? 1 : 0)
        regulate()
      }
      return { add, end: () => add(-waiting) }
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
