/** The events of processes on one connection, as features see them: a feature may have views beside the session. */
import type { Attachment } from "../process/Attachment.ts"
import type { Process } from "../process/Process.ts"
import type { Dialect, Event } from "../protocol/dialect/Dialect.ts"
import type { Outgoing } from "../transport/Transport.ts"

/** Writes at most one message through the sender, and a gap before it; returns true if it may have another. */
export type Source = () => boolean

/** Shares one connection between everything that a server sends unasked. */
export interface Sender {
  /** Gives the source turns until it returns false. A source that waits already is not added again. */
  readonly enqueue: (source: Source) => void
  /** Gives the source no more turns. */
  readonly remove: (source: Source) => void
  /** Writes a message, nothing once stopped; false if the peer does not keep up. For a source in its turn. */
  readonly write: (message: Outgoing) => boolean
}

/** The turns of one view. */
export interface Turns extends Sender {
  /** Calls `wake` after every change of the process until the returned function is called. */
  readonly subscribe: (process: Process, wake: () => void) => () => void
}

/** A process that the connection follows under an id of its own. */
export interface View {
  /** Its id on this connection. */
  readonly id: string
  /** The process. */
  readonly process: Process
  /**
   * Reads its events above a seq. `wake` is to be called when there is one that no change of the process brings, and
   * `hasRoom` is false while no output can be sent.
   */
  readonly read: (seq: number, wake: () => void, hasRoom: () => boolean) => Attachment
  /** Encodes its events. */
  readonly encode: (events: Dialect["events"]) => ReturnType<Dialect["events"]>
  /** Its turns; undefined if it has them as the session. */
  readonly turns: ((sender: Sender) => Turns) | undefined
}

/** A process of the session, or a view. */
export type Followed = Process | View

/** Holds back events of a process, and all behind them, until `Following.gate` is called. */
export interface Gate {
  /** True if the event passes, which it does at once. */
  readonly pass: (event: Event) => boolean
  /** Whether an output of any length would pass. */
  readonly hasRoom: () => boolean
}

/** The events that one connection is sent. */
export interface Following {
  /** Sends the events of a process with a seq above `seq`, those to come as well, as the gate lets them pass. */
  readonly attach: (followed: Followed, seq: number, gate?: Gate) => void
  /** Looks for an event that this gate lets pass, from now on. Nothing if the process is not followed. */
  readonly gate: (followed: Followed, gate: Gate) => void
  /** The one of that id whose events it still sends, also when nobody else knows the id any more. */
  readonly find: (id: string) => Followed | undefined
  /** Sends nothing more of this one. */
  readonly leave: (followed: Followed) => void
}
