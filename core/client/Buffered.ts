/** What a client holds of the events of a process, and how much that may be: for those who watch buffers. */
import type { Buffer } from "../protocol/Buffers.ts"
import { leastCredit as largestChunk } from "../protocol/Credit.ts"
import type { CreditWindow } from "./CreditWindow.ts"
import { type EventFeed, maxKept } from "./EventFeed.ts"
import { maxTotalBacklog } from "./FlowControl.ts"
import { eventBytes } from "./ProcessEvent.ts"
import { maxEarly, type ReorderBuffer } from "./ReorderBuffer.ts"

/**
 * The buffers of a process that is followed. Each may exceed its bound by the event that has filled it. What comes from
 * `process/read` needs no credit: `read` bytes may wait besides.
 */
export const of = (
  id: string,
  buffer: ReorderBuffer,
  feed: EventFeed,
  credit: CreditWindow | undefined,
  failure: () => unknown,
  read: () => number,
): ReadonlyArray<Buffer> => {
  const buffered = (name: string, bound: number, held: () => number, more = () => 0): Buffer => ({
    name: `${name} of ${id}`,
    size: () => (buffer.closed || failure() !== undefined ? undefined : held()),
    bound: () => bound + more(),
  })
  return [
    buffered("events held early", maxEarly.events, () => buffer.held.events),
    buffered("bytes held early", maxEarly.bytes + largestChunk, () => buffer.held.bytes),
    buffered("bytes kept for later consumers", maxKept.bytes + largestChunk + eventBytes, feed.kept),
    ...(credit === undefined
      ? [buffered("bytes that wait for a consumer", maxTotalBacklog, feed.waiting)]
      : [
          buffered("bytes that wait for a consumer", credit.size, feed.waiting, read),
          buffered("bytes that a server may push", credit.size, credit.left),
        ]),
  ]
}
