/** Reads and writes descriptors without blocking: the ends of pipes, and the masters of PTYs. */
import type * as Spawner from "../../../../core/spawn/Spawner.ts"
import type { ChildEvents } from "../ChildEvents.ts"
import type { Output } from "../RunningChild.ts"
import type { StdinWriter } from "../StdinWriter.ts"

/** The default capacity of a pipe on Linux. */
export const BUFFER_BYTES = 65_536

export interface Descriptors {
  /** Reads a pipe to EOF, which ends the stream. Takes ownership of `fd`. */
  readonly reader: (fd: number, stream: Spawner.OutputStream, events: ChildEvents) => Output
  /** Writes to a pipe. Takes ownership of `fd`. */
  readonly writer: (fd: number) => StdinWriter
  /** Reads and writes the master of a PTY. Takes ownership of `master`. */
  readonly terminal: (master: number, events: ChildEvents) => Terminal
}

export interface Terminal {
  /** Ends with EIO, after the last close of the slave and everything that was written before. */
  readonly output: Output
  readonly stdin: StdinWriter
  /** False once the master is closed: its number may be that of another file by now. */
  readonly open: () => boolean
}
