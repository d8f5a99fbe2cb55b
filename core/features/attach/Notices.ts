/**
 * What a client is told of processes beside their events: whether it writes, and that an attachment has ended.
 *
 * It has no place among the events, and of each id only the newest is worth telling. So a peer that does not keep up
 * has one message for each id waiting, however often a role changes, and it is made when its turn has come.
 */
import type { Sender, Source } from "../Following.ts"

/** Makes a message; undefined if there is nothing to tell any more. */
type Make = () => string | undefined

export interface Notices {
  /** Tells this of an id in its turn, in place of what waits to be told of it. */
  readonly tell: (processId: string, make: Make) => void
  /** Tells at once what waits to be told of an id: before an answer that depends on it. */
  readonly now: (processId: string) => void
  /** Nobody is told any more of what waits. */
  readonly close: () => void
}

export const make = (sender: Sender): Notices => {
  const waiting = new Map<string, Make>()

  const now = (processId: string) => {
    const text = waiting.get(processId)?.()
    waiting.delete(processId)
    if (text !== undefined) sender.write(text)
  }

  const next: Source = () => {
    const [first] = waiting.keys()
    if (first !== undefined) now(first)
    return waiting.size > 0
  }

  return {
    tell: (processId, make) => {
      waiting.set(processId, make)
      sender.enqueue(next)
    },
    now,
    close: () => waiting.clear(),
  }
}
