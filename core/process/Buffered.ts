/** What a process holds of its output, and how much that may be: for those who watch buffers. */
import type { Buffer, BuffersService } from "../protocol/Buffers.ts"
import { type Capacity, maxChunkBytes, mostPinned } from "./Chunk.ts"
import type { Process } from "./Process.ts"
import { pauseAbove } from "./Throttle.ts"

/** Tells of the buffers of a process, if anybody wants to know; returns the process. */
export const told = (process: Process, capacity: Capacity, { made }: BuffersService): Process => {
  if (made !== undefined) of(process, capacity).forEach(made)
  return process
}

/**
 * The buffers of a process. Its log has its capacity, or what a reader has yet to get, and a chunk more. That is again
 * its capacity, of which a reader may begin with all, and what comes before a pause takes effect; but without a bound
 * of its own while the child cannot be paused, or is to end.
 */
const of = (process: Process, capacity: Capacity): ReadonlyArray<Buffer> => {
  const { id, log } = process
  const size = (held: () => number) => () => (log.left() ? undefined : held())
  return [
    {
      name: `output log of ${id}, in bytes`,
      size: size(() => log.size().bytes),
      bound: () => Math.max(capacity.bytes, log.unread()) + maxChunkBytes,
    },
    {
      name: `output log of ${id}, in chunks`,
      size: size(() => log.size().chunks),
      bound: () => (log.unread() > 0 ? mostPinned.chunks : capacity.chunks),
    },
    {
      name: `unread output of ${id}, in bytes`,
      size: size(() => log.unread()),
      bound: () =>
        process.child?.pause === undefined || process.terminated || !process.running
          ? mostPinned.bytes + maxChunkBytes
          : capacity.bytes + 2 * pauseAbove,
    },
  ]
}
