/** The end of a process: its cause, and what a spawner may know of it. */
import * as Shape from "./shape/index.ts"
import { U53 } from "./Integers.ts"

/** Causes of the end of a process. */
export const EndedBy = Shape.namedWords(
  "EndedBy",
  /** It exited by itself. */
  "exit",
  /** A signal, from `process/signal` or from elsewhere on the host. */
  "signal",
  /** `process/terminate`. */
  "terminate",
  /** A bound on its whole time, or on the time without output. */
  "timeout",
  "idleTimeout",
  /** The end of its session, or of the server. */
  "sessionEnd",
  "serverEnd",
  /** A bound on what it may use. */
  "limit",
)
/** The cause of the end of a process. */
export type EndedBy = typeof EndedBy.Type

/** The peak of a child's resident memory. */
export const PeakMemory = Shape.struct("PeakMemory", {
  /** The bytes. */
  bytes: U53,
  /** False if the peak was at most `bytes`: Linux counts what the child shared with the server until its exec. */
  exact: Shape.boolean,
})
/** The peak of a child's resident memory. */
export type PeakMemory = typeof PeakMemory.Type

/** A bound of the resources of a process: its memory, how many processes it may start, its processor time. */
export const ResourceLimit = Shape.words("mem", "pids", "time")
/** A bound of the resources of a process. */
export type ResourceLimit = typeof ResourceLimit.Type

/** Facts of a spawner about the end of a child beyond its status. Unknown ones are absent. */
export const Ending = Shape.struct("Ending", {
  /** The cause of the end, if that was the spawner, or it knows better than the status tells. */
  endedBy: Shape.optional(EndedBy),
  /** The bound that was reached, if `endedBy` is `limit`. */
  limit: Shape.optional(ResourceLimit),
  /** True if a core was dumped. */
  coreDumped: Shape.optional(Shape.boolean),
  /** True if the kernel killed the child because memory ran out. */
  oomKilled: Shape.optional(Shape.boolean),
  /** CPU time in user mode, in microseconds, of the child and of children that it has waited for. */
  userCpuMicros: Shape.optional(U53),
  /** CPU time in the kernel, in microseconds. */
  systemCpuMicros: Shape.optional(U53),
  /** The peak of the resident memory. */
  peakMemory: Shape.optional(PeakMemory),
})
/** Facts of a spawner about the end of a child. */
export type Ending = typeof Ending.Type
