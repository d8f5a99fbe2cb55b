/**
 * What an attachment is told of a process: every event above a seq, and a gap in place of output that the log no longer
 * has. An event that is no output is never in a gap.
 */
import type { Attachment } from "./Attachment.ts"
import { eventAfter } from "./EventOrder.ts"
import type { Process } from "./Process.ts"

/** The events of a process above `seq`. With `holds` the child waits for this reader; without, it may miss output. */
export const after = (process: Process, seq: number, holds: boolean): Attachment => {
  const reader = holds ? process.attach(seq) : watcher(process, seq)
  let last = seq
  return {
    next: () => {
      const event = reader.next()
      // Every seq belongs to an event, so one that nothing has any more was output.
      const end = event?.seq ?? process.log.nextSeq()
      return end > last + 1 ? { kind: "gap", from: last + 1, seq: end - 1 } : event
    },
    advance: (seq) => {
      last = seq
      reader.advance(seq)
    },
    detach: reader.detach,
  }
}

/** A reader that holds nothing: what leaves the log before it has come does not come. */
const watcher = (process: Process, seq: number): Attachment => {
  let last = seq
  const next = () => eventAfter(process, last)
  const reader = {
    next: process.marks?.within(() => last, next) ?? next,
    advance: (seq: number) => {
      last = seq
    },
    detach: () => {},
  }
  return process.account?.watched(reader) ?? reader
}
