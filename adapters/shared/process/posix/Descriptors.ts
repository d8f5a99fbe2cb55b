/** How a runtime waits for descriptors of this process: the ends of pipes, and the masters of PTYs. */
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import type { ChildEvents } from "../ChildEvents.ts"
import type { Output } from "../RunningChild.ts"
import type { StdinWriter } from "../StdinWriter.ts"

/** As much as a pipe holds. */
export const BUFFER_BYTES = 65_536

export interface Descriptors {
  /** Reads a pipe up to its end, which ends the stream. Owns `fd` from here on. */
  readonly reader: (fd: number, stream: Spawner.OutputStream, events: ChildEvents) => Output
  /** Writes to a pipe. Owns `fd` from here on. */
  readonly writer: (fd: number) => StdinWriter
  /** Reads and writes the master of a PTY. Owns `master` from here on. */
  readonly terminal: (master: number, events: ChildEvents) => Terminal
}

export interface Terminal {
  /** Ends with the EIO of the last close of the slave; everything written before is delivered. */
  readonly output: Output
  readonly stdin: StdinWriter
  /** False from when the master is closed, and its number may be another's. */
  readonly open: () => boolean
}
