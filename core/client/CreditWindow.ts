/**
 * How much output of one process its server may push ahead of the consumers in this client.
 *
 * The server is granted `size` bytes at first, and more as consumers take what waits for them, so that at most `size`
 * bytes wait for the slowest; output that nobody consumes is granted again as it arrives. Every grant is made from what
 * waits and from what the server may still push, never from one event, so output that comes twice, early or through
 * `process/read` neither leaks credit nor adds to it. Grants are at least half of the window, to be few, unless the
 * server could have too little left for one chunk, while nothing waits here.
 */

import { leastCredit } from "../protocol/Credit.ts"

/** The window of a process whose start names none: 1 MiB. */
export const defaultSize = 1024 * 1024

/** The window of one process. */
export interface CreditWindow {
  /** Bytes that may wait for each consumer, as credit counts them. */
  readonly size: number
  /** The server has pushed what counts as so many bytes. */
  readonly pushed: (bytes: number) => void
  /** Grants what there is room for, if that is worth a message. To be called when less waits, and after `pushed`. */
  readonly settle: () => void
  /** Bytes that the server may still push. */
  readonly left: () => number
  /** Another connection begins, with the returned credit. Nothing is granted until `open`. */
  readonly begin: () => number
  /** The server knows the credit that the connection began with. */
  readonly open: () => void
}

/** What a window uses of its process. */
export interface Options {
  readonly size: number
  /** The bytes that wait for the slowest consumer, as credit counts them. */
  readonly waiting: () => number
  /** Sends a grant. `current` is false as soon as another connection has begun: the grant must not be sent then. */
  readonly grant: (bytes: number, current: () => boolean) => void
}

/** A window that the first connection begins with; it grants nothing until `open`. */
export const make = ({ size, waiting, grant }: Options): CreditWindow => {
  /** Bytes that the server may still push; negative for a server that pushes more than it may. */
  let left = size
  let connection = 0
  let isOpen = false
  const worthwhile = Math.min(size / 2, size - leastCredit + 1)

  const settle = () => {
    if (!isOpen) return
    const room = size - waiting() - left
    if (room < worthwhile) return
    left += room
    const granted = connection
    grant(room, () => granted === connection)
  }

  return {
    size,
    pushed: (bytes) => {
      left -= bytes
    },
    settle,
    left: () => left,
    begin: () => {
      connection += 1
      isOpen = false
      left = Math.max(0, size - waiting())
      return left
    },
    open: () => {
      isOpen = true
      settle()
    },
  }
}
