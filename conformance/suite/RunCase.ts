/**
 * Runs one case on one target. Only here does a case become an outcome, for the command line and for vitest.
 */
import * as CaseContext from "./CaseContext.ts"
import type { Capability, Case } from "./Case.ts"
import { CheckFailure } from "./Check.ts"
import { within } from "./Deadline.ts"
import * as Manifest from "./Manifest.ts"
import type { Target } from "./Target.ts"
import type { Entry } from "./Transcript.ts"
import { carries, type TransportKind } from "./wire/TransportKind.ts"

/** The result of a case. */
export interface Outcome {
  /** The case. */
  readonly case: Case
  /** The transport, or `spawner` for a case of the spawner suite. */
  readonly transport: TransportKind | "spawner"
  /** The arguments of the command line that name the target. */
  readonly words: ReadonlyArray<string>
  /** `skip`: the case did not run. `unplayed`: neither, because the server had stopped answering. */
  readonly status: "pass" | "fail" | "skip" | "unplayed"
  /** The reason of a failure, a skip or an unplayed case; empty for a pass. */
  readonly reason: string
  /** The duration of the case, in milliseconds. */
  readonly ms: number
  /** Figures that the case reports. */
  readonly notes: ReadonlyArray<string>
  /** The messages in both directions; empty unless the case failed. */
  readonly transcript: ReadonlyArray<Entry>
  /** The standard error of the servers that this case has started; empty unless the case failed. */
  readonly stderr: string
  /** The case failed because nothing came in time, or because the server could not be reached. */
  readonly silent?: boolean
}

/** Options for one case. */
export interface CaseOptions {
  /** The longest wait without a message, in milliseconds. */
  readonly timeoutMs: number
  /** Capabilities that the server lacks, beside those that the suite finds by asking. */
  readonly without: ReadonlySet<Capability>
  /** Also cases that take more than five seconds. */
  readonly slow: boolean
  /** Called with every message of every case, whole, and with what happens to connections. */
  readonly onEntry?: (item: Case, entry: Entry) => void
}

/** The obstacle to the case on this target; `undefined` if there is none. */
export const skipReason = (item: Case, target: Target, options: CaseOptions): string | undefined => {
  if (!carries(item.transports, target.kind)) return `only over ${item.transports}`
  const missing = item.requires.find((capability) => options.without.has(capability))
  if (missing !== undefined) return `the server is without ${missing}`
  if (item.server !== "shared" && !target.owned) return "needs a server that the suite starts: use --command"
  if (item.slow && !options.slow) return "slow: use --slow"
  return undefined
}

const play = async (
  item: Case,
  { context, fault }: CaseContext.RunningContext,
  timeoutMs: number,
): Promise<Pick<Outcome, "reason" | "silent">> => {
  try {
    await within(item.run(context), timeoutMs * (item.slow ? 60 : 9), "the whole case")
    return { reason: fault() ?? "" }
  } catch (error) {
    if (error instanceof CheckFailure) return { reason: error.message, silent: error.reason !== "wrong" }
    return { reason: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

/** The outcome of a case that does not run. */
export const withheld = (
  item: Case,
  target: Target,
  status: "skip" | "unplayed",
  reason: string,
): Outcome => ({
  case: item,
  transport: target.kind,
  words: target.words,
  status,
  reason,
  ms: 0,
  notes: [],
  transcript: [],
  stderr: "",
})

/** Runs one case. It never rejects: every error is in the outcome. */
export const runCase = async (item: Case, target: Target, options: CaseOptions): Promise<Outcome> => {
  const skipped =
    skipReason(item, target, options) ?? (await Manifest.missing(item, target, options.timeoutMs))
  if (skipped !== undefined) return withheld(item, target, "skip", skipped)
  const began = performance.now()
  const running = CaseContext.make(item, target, options.timeoutMs, (entry) => options.onEntry?.(item, entry))
  const { reason, silent = false } = await play(item, running, options.timeoutMs)
  running.finish()
  return {
    case: item,
    transport: target.kind,
    words: target.words,
    status: reason === "" ? "pass" : "fail",
    reason,
    ms: performance.now() - began,
    notes: running.notes,
    transcript: reason === "" ? [] : running.transcript.entries,
    stderr: reason === "" ? "" : running.stderr(),
    silent,
  }
}
