/** What a registry of processes is made with. */
import { defaults, type Limits } from "../protocol/Limits.ts"
import * as Metrics from "./Metrics.ts"
import * as Retention from "./Retention.ts"
import * as StartGate from "./StartGate.ts"

export interface Options {
  /** How long a closed process stays readable and its id taken, in milliseconds. */
  readonly retentionMillis: number
  readonly limits: Limits
  /** Forgets a process as soon as it exits or is terminated: its id is free, and nothing of it can be asked for. */
  readonly forgetsAtExit?: boolean
}

/** 30 seconds and the limits of the table. */
export const defaultOptions: Options = { retentionMillis: 30_000, limits: defaults }

/** What the registries of all sessions of one server share. */
export interface Shared {
  readonly gate: StartGate.StartGate
  readonly retention: Retention.Retention
  readonly metrics: Metrics.Metrics
}

/** Limits on all processes together, and where they are counted. */
export const share = (limits: Limits, metrics = Metrics.make()): Shared => ({
  gate: StartGate.make(limits),
  retention: Retention.make(limits.retainedTotal),
  metrics,
})
