/**
 * How much a client takes from its connection.
 *
 * Events wait in memory for whoever consumes them. When a consumer lags by more than `maxLag`, nothing more
 * is taken from the connection: the server notices, pauses the child, and nothing is lost. That holds up
 * everything else on the connection, so while an answer is awaited, taking goes on (the answer lies behind
 * the output) up to `maxQueued` over all consumers. One bounded client is the price of a slow consumer, and
 * its neighbours on the connection pay it too; who cannot have that opens a second connection.
 */

/** What may wait for one consumer, in bytes: 1 MiB. */
export const maxLag = 1024 * 1024

/** What may wait for all consumers of a connection, in bytes: 32 MiB. */
export const maxQueued = 32 * 1024 * 1024

/** What waits for one consumer. */
export interface Lag {
  /** So many bytes more wait, or fewer. */
  readonly add: (bytes: number) => void
  /** The consumer is gone. */
  readonly end: () => void
}

export interface Flow {
  readonly lag: () => Lag
  /** True while nothing more is to be taken. */
  readonly held: () => boolean
  /** An answer is awaited, from now until `answered`. */
  readonly asked: () => void
  readonly answered: () => void
}

/** `hold` is called with true when nothing more is to be taken, and with false when taking goes on. */
export const make = (hold: (held: boolean) => void): Flow => {
  let queued = 0
  let lagging = 0
  let awaited = 0
  let held = false

  const regulate = () => {
    const next = queued > maxQueued || (lagging > 0 && awaited === 0)
    if (next === held) return
    held = next
    hold(held)
  }

  return {
    held: () => held,
    lag: () => {
      let waiting = 0
      const add = (bytes: number) => {
        const before = waiting > maxLag
        waiting += bytes
        queued += bytes
        lagging += (waiting > maxLag ? 1 : 0) - (before ? 1 : 0)
        regulate()
      }
      return { add, end: () => add(-waiting) }
    },
    asked: () => {
      awaited += 1
      regulate()
    },
    answered: () => {
      awaited -= 1
      regulate()
    },
  }
}
