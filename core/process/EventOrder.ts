/** Which event of a process comes next: its output, its exit and its end, in the order of their seqs. */
import type { Event } from "../protocol/dialect/Dialect.ts"
import type { OutputLog } from "./OutputLog.ts"

/** The part of a process that is used here. */
export interface Subject {
  /** Its output. */
  readonly log: OutputLog
  /** Its exit, once it is published. */
  readonly exited: Omit<Extract<Event, { readonly kind: "exited" }>, "kind"> | undefined
  /** Its end, once it is closed. */
  readonly closed: Omit<Extract<Event, { readonly kind: "closed" }>, "kind"> | undefined
}

/** The first event above a seq that is no mark. */
export const eventAfter = ({ log, exited, closed }: Subject, seq: number): Event | undefined => {
  const chunk = log.after(seq)
  if (exited !== undefined && exited.seq > seq && (chunk === undefined || exited.seq < chunk.seq)) {
    return { kind: "exited", ...exited }
  }
  if (chunk !== undefined) return chunk
  return closed !== undefined && closed.seq > seq ? { kind: "closed", ...closed } : undefined
}
