/** The order of the events of a process: output, the events of features, exit and end, by their seqs. */
import type { Event } from "../protocol/dialect/Dialect.ts"
import { earlier, type Extension } from "./Extension.ts"
import type { OutputLog } from "./OutputLog.ts"

/** The part of a process that is used here. */
export interface Subject {
  /** Its output. */
  readonly log: OutputLog
  /** Its exit, once it is published. */
  readonly exited: Omit<Extract<Event, { readonly kind: "exited" }>, "kind"> | undefined
  /** Its end, once it is closed. */
  readonly closed: Omit<Extract<Event, { readonly kind: "closed" }>, "kind"> | undefined
  /** The part of features in it. */
  readonly extension: Extension | undefined
}

/** The first event above a seq. */
export const eventAfter = (subject: Subject, seq: number): Event | undefined => {
  const event = spineEventAfter(subject, seq)
  const own = subject.extension?.own
  return own === undefined ? event : earlier(event, own.after(seq))
}

const spineEventAfter = ({ log, exited, closed }: Subject, seq: number): Event | undefined => {
  const chunk = log.after(seq)
  if (exited !== undefined && exited.seq > seq && (chunk === undefined || exited.seq < chunk.seq)) {
    return { kind: "exited", ...exited }
  }
  if (chunk !== undefined) return chunk
  return closed !== undefined && closed.seq > seq ? { kind: "closed", ...closed } : undefined
}
