/** One wait: its conditions, its deadline, and whether one of them holds. */
import type * as Clock from "effect/Clock"
import type { Input, Port } from "../../spawn/ProcessEvidence.ts"
import type { Process } from "../../process/Process.ts"
import type { Condition, Evidence, Met, WaitRequest, WaitState } from "./Condition.ts"
import type { EvidenceWatch } from "./EvidenceWatch.ts"
import type { OutputSearch } from "./OutputSearch.ts"
import type { Search } from "./Search.ts"

export interface Shared {
  readonly process: Process
  readonly search: OutputSearch
  readonly evidence: EvidenceWatch
  /** When output has last come. */
  readonly lastOutputAt: number
}

/** One wait, which ends once. */
export class Wait {
  /** Called once, with the condition that has come true; undefined at the timeout and at the end of the process. */
  onEnd: (met: Met | undefined) => void = () => {}

  private readonly shared: Shared
  private readonly request: WaitRequest
  private readonly clock: Clock.Clock
  private readonly begunAt: number
  /** The offset in the output from which bytes count. */
  private readonly from: number
  private readonly searches = new Map<Condition, ReadonlyArray<Search>>()
  private asks: ReadonlyArray<Extract<Condition, { kind: "input" | "port" }>> = []
  private ended = false

  constructor(shared: Shared, request: WaitRequest, from: number, clock: Clock.Clock) {
    this.shared = shared
    this.request = request
    this.from = from
    this.clock = clock
    this.begunAt = clock.currentTimeMillisUnsafe()
  }

  /** Joins the searches and the questions that its conditions need; true if it asks for evidence. */
  begin(): boolean {
    const { until, afterSeq } = this.request
    for (const condition of until) {
      if (condition.kind === "pattern")
        this.searches.set(condition, this.shared.search.join(condition, afterSeq))
    }
    this.asks = until.filter(asksForEvidence)
    for (const question of this.asks) this.shared.evidence.join(question)
    return this.asks.length > 0
  }

  /** Gives back what `begin` has joined. */
  release(): void {
    this.ended = true
    for (const search of [...this.searches.values()].flat()) this.shared.search.leave(search)
    for (const question of this.asks) this.shared.evidence.leave(question)
  }

  /** Ends if a condition holds, or nothing is left to wait for. */
  look(): void {
    if (this.ended) return
    for (const [index, condition] of this.request.until.entries()) {
      const evidence = this.evidenceOf(condition)
      if (evidence === undefined) continue
      return this.end({ index, evidence })
    }
    const isLate = this.clock.currentTimeMillisUnsafe() >= this.begunAt + this.request.timeoutMillis
    if (isLate || this.shared.process.closed !== undefined) this.end(undefined)
  }

  /** The next time at which something may come true without a change of the process; Infinity if there is none. */
  due(): number {
    const idle = this.request.until.map((condition) =>
      condition.kind === "idle" ? this.quietSince() + condition.millis : Infinity,
    )
    return this.ended ? Infinity : Math.min(this.begunAt + this.request.timeoutMillis, ...idle)
  }

  unknown(): WaitState["unknown"] {
    return this.request.until.flatMap((condition, index) => {
      const answer = asksForEvidence(condition) ? this.shared.evidence.answer(condition) : undefined
      return answer?.kind === "unknown" ? [{ index, why: answer.why }] : []
    })
  }

  private end(met: Met | undefined): void {
    this.ended = true
    this.onEnd(met)
  }

  private quietSince(): number {
    return Math.max(this.begunAt, this.shared.lastOutputAt)
  }

  private evidenceOf(condition: Condition): Evidence | undefined {
    const { exited, closed, log } = this.shared.process
    switch (condition.kind) {
      case "exit":
        return exited && { exitCode: exited.exitCode }
      case "closed":
        return closed && { exitCode: exited?.exitCode ?? 0 }
      case "pattern": {
        const match = this.searches.get(condition)?.find(({ match }) => match !== undefined)?.match
        return match && { match }
      }
      case "idle": {
        const idleMs = this.clock.currentTimeMillisUnsafe() - this.quietSince()
        return idleMs >= condition.millis ? { idleMs } : undefined
      }
      case "bytes": {
        const bytes = log.written() - this.from
        return bytes >= condition.bytes ? { bytes } : undefined
      }
      case "port":
      case "input":
        return toEvidence(this.shared.evidence.answer(condition))
    }
  }
}

const asksForEvidence = (condition: Condition): condition is Extract<Condition, { kind: "input" | "port" }> =>
  condition.kind === "input" || condition.kind === "port"

/** A terminal that gives lines and does not show them is asking for a secret. */
const toEvidence = (answer: Input | Port | undefined): Evidence | undefined => {
  if (answer?.kind !== "yes") return undefined
  const { kind: _, ...yes } = answer
  if ("port" in yes) return { port: yes }
  return { input: yes.line === undefined ? yes : { ...yes, secret: yes.line && yes.echo === false } }
}
