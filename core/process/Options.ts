/** The options of a process registry, and what all registries of one server share. */
import type { BuffersService } from "../protocol/Buffers.ts"
import { defaults, keptMillis, type Limits } from "../protocol/Limits.ts"
import * as Metrics from "./Metrics.ts"
import * as Retention from "./Retention.ts"
import * as StartGate from "./StartGate.ts"

/** Options of a process registry. */
export interface Options {
  /** The time for which a closed process stays readable and its id taken, in milliseconds. */
  readonly retentionMillis: number
  /** Limits on processes, starts, retained output and waiting stdin. */
  readonly limits: Limits
  /** Forgets a process as soon as it exits or is terminated: its id is free, and it can no longer be read. */
  readonly forgetsAtExit?: boolean
}

/** The default limits. */
export const defaultOptions: Options = { retentionMillis: keptMillis.closedProcess, limits: defaults }

/** Shared by the registries of all sessions of one server. */
export interface Shared {
  /** Limits on starting processes. */
  readonly gate: StartGate.StartGate
  /** Limit on the memory of all logs together. */
  readonly retention: Retention.Retention
  /** Counts everything. */
  readonly metrics: Metrics.Metrics
  /** Hears of the buffers of each process. */
  readonly buffers: BuffersService
}

/** The state that sessions of one server share, under these limits. */
export const share = (limits: Limits, metrics = Metrics.make(), buffers: BuffersService = {}): Shared => ({
  buffers,
  gate: StartGate.make(limits),
  retention: Retention.make(limits.retainedTotal),
  metrics,
})
