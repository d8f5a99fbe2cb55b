/**
 * Plays one case against one target: the only place where a case turns into an outcome, for the command line and for vitest.
 */
import * as CaseContext from "./CaseContext.ts"
import type { Capability, Case } from "./Case.ts"
import { CheckFailure } from "./Check.ts"
import { within } from "./Deadline.ts"
import * as Manifest from "./Manifest.ts"
import type { Target } from "./Target.ts"
import type { Entry } from "./Transcript.ts"
import { carries, type TransportKind } from "./wire/TransportKind.ts"

export interface Outcome {
  readonly case: Case
  /** How the suite talks to what it tests; `spawner` for the suite of that name. */
  readonly transport: TransportKind | "spawner"
  readonly words: ReadonlyArray<string>
  readonly status: "pass" | "fail" | "skip"
  /** Why it failed or was skipped; empty for a pass. */
  readonly reason: string
  readonly ms: number
  readonly notes: ReadonlyArray<string>
  readonly transcript: ReadonlyArray<Entry>
  /** Standard error of the server, as far as it belongs to this case. */
  readonly stderr: string
}

export interface CaseOptions {
  readonly timeoutMs: number
  /** Capabilities that the server says it lacks. */
  readonly without: ReadonlySet<Capability>
  readonly slow: boolean
}

/** Why the case is not for this target, if so. */
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
): Promise<string> => {
  try {
    await within(item.run(context), timeoutMs * (item.slow ? 60 : 9), "the whole case")
    return fault() ?? ""
  } catch (error) {
    if (error instanceof CheckFailure) return error.message
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

/** Never fails: everything that goes wrong is in the outcome. */
export const runCase = async (item: Case, target: Target, options: CaseOptions): Promise<Outcome> => {
  const base = { case: item, transport: target.kind, words: target.words }
  const skipped =
    skipReason(item, target, options) ?? (await Manifest.missing(item, target, options.timeoutMs))
  if (skipped !== undefined)
    return { ...base, status: "skip", reason: skipped, ms: 0, notes: [], transcript: [], stderr: "" }
  const began = performance.now()
  const running = CaseContext.make(item, target, options.timeoutMs)
  const reason = await play(item, running, options.timeoutMs)
  running.finish()
  return {
    ...base,
    status: reason === "" ? "pass" : "fail",
    reason,
    ms: performance.now() - began,
    notes: running.notes,
    transcript: reason === "" ? [] : running.transcript.entries,
    stderr: reason === "" ? "" : running.stderr(),
  }
}
