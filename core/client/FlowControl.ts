/**
 * Back-pressure from the consumers of a client: to the process if the server has credit, else to the connection.
 *
 * Events wait in memory for their consumers. If the server announces `processCredit`, it pushes no more of a process
 * than it was granted (`CreditWindow`): a consumer that does not read stops its process, and nothing else. Elsewhere,
 * when the backlog of a consumer exceeds `maxBacklog`, the client stops reading from the connection; the server then
 * pauses the child, and nothing is lost. That also stops everything else on the connection. While a response is
 * awaited, the client therefore keeps reading (the response is queued behind the output), until all backlogs together
 * exceed `maxTotalBacklog`.
 */
import { leastCredit } from "../protocol/Credit.ts"

/** The most bytes that may wait for one consumer before reading stops: 1 MiB. */
export const maxBacklog = 1024 * 1024

/** The most bytes that may wait for all consumers of a connection while a response is awaited: 32 MiB. */
export const maxTotalBacklog = 32 * 1024 * 1024

/** The bytes that wait for one consumer. */
export type Backlog = ReturnType<FlowControl["backlog"]>

/** The back-pressure to one connection. */
export type FlowControl = ReturnType<typeof make>

/** Calls `hold` with true when reading is to stop, and with false when it is to go on. */
export const make = (hold: (held: boolean) => void) => {
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
  const wait = (change: number) => () => {
    awaited += change
    regulate()
  }

  return {
    /** True while reading is stopped. */
    held: () => held,
    /** The backlog of a new consumer. Of it, only what exceeds the `granted` bytes counts. Default: all of it. */
    backlog: (granted = 0) => {
      let waiting = 0
      let counted = 0
      /** Adds bytes, or with a negative number removes them. */
      const add = (bytes: number) => {
        const before = counted
        waiting += bytes
        counted = Math.max(0, waiting - granted)
        queued += counted - before
        lagging += (counted > maxBacklog ? 1 : 0) - (before > maxBacklog ? 1 : 0)
        regulate()
      }
      /** `end`: the consumer has left, and its backlog no longer counts. */
      return { waiting: () => waiting, add, end: () => add(-waiting) }
    },
    /** A response is awaited from now until `requestDone`. */
    requestSent: wait(1),
    requestDone: wait(-1),
  }
}

/** The window of a process whose start names none: 1 MiB. */
export const defaultWindow = 1024 * 1024

/** The used part of a process. */
export interface WindowOptions {
  /** Bytes that may wait for each consumer, as credit counts them. */
  readonly size: number
  /** The bytes that wait for the slowest consumer, as credit counts them. */
  readonly waiting: () => number
  /** Sends a grant. `current` is false as soon as another connection has begun: the grant must not be sent then. */
  readonly grant: (bytes: number, current: () => boolean) => void
}

/**
 * Window for the output of one process that its server may push ahead of the consumers in this client.
 *
 * The server is granted `size` bytes at first, and more as consumers take what waits for them, so that at most `size`
 * bytes wait for the slowest; output without a consumer is granted again as it arrives. Every grant is made from what
 * waits and from what the server may still push, never from one event, so output that comes twice, early or through
 * `process/read` neither leaks credit nor adds to it. Grants are at least half of the window, to be few, unless the
 * server could have too little left for one chunk, while nothing waits here.
 */
export class CreditWindow {
  readonly size: number
  /** Bytes that the server may still push; negative for a server that pushes more than it may. */
  left: number
  private readonly options: WindowOptions
  private readonly worthwhile: number
  private connection = 0
  private isOpen = false

  /** A window that the first connection begins with; it grants nothing until `open`. */
  constructor(options: WindowOptions) {
    const { size } = options
    this.options = options
    this.size = size
    this.left = size
    this.worthwhile = Math.min(size / 2, size - leastCredit + 1)
  }

  /** Grants what there is room for, if that is worth a message. To be called when less waits, or is `left`. */
  settle(): void {
    if (!this.isOpen) return
    const room = this.size - this.options.waiting() - this.left
    if (room < this.worthwhile) return
    this.left += room
    const { connection } = this
    this.options.grant(room, () => connection === this.connection)
  }

  /** Another connection begins, with the returned credit. Nothing is granted until `open`. */
  begin(): number {
    this.connection += 1
    this.isOpen = false
    this.left = Math.max(0, this.size - this.options.waiting())
    return this.left
  }

  /** The server knows the credit that the connection began with. */
  open(): void {
    this.isOpen = true
    this.settle()
  }
}
