/**
 * Everybody who waits for something about one process. They share one subscription, one pass over the output and one
 * watch of evidence; without a wait there is none of them.
 *
 * The conditions are looked at when a wait begins, after every change of the process, and when a time has passed,
 * always in one synchronous step with the change: a wait cannot miss anything, and is never early.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ProcessEvidenceService, Input, Port } from "../../spawn/ProcessEvidence.ts"
import type { Process } from "../../process/Process.ts"
import type { Met, WaitRequest, WaitState, Condition, Evidence } from "./Condition.ts"
import { EvidenceWatch } from "./EvidenceWatch.ts"
import { OutputSearch, type Search } from "./OutputSearch.ts"
import { gapAfter, offsetAfter, printed } from "../../process/Printed.ts"
import { longestTimerMillis } from "../../protocol/Timer.ts"

const known = new WeakMap<Process, Waits>()

/** The waits of a process, made when it has the first. */
export const of = (process: Process, evidence: ProcessEvidenceService): Waits => {
  const waits = known.get(process) ?? new Waits(process, evidence)
  known.set(process, waits)
  return waits
}

export class Waits {
  /** When output has last come, on the clock of the waits. */
  lastOutputAt = 0
  readonly search: OutputSearch
  readonly evidence: EvidenceWatch
  readonly process: Process

  private readonly waits = new Set<Wait>()
  private written = 0
  private unsubscribe: (() => void) | undefined

  constructor(process: Process, evidence: ProcessEvidenceService) {
    this.process = process
    this.search = new OutputSearch(process)
    this.evidence = new EvidenceWatch(evidence)
  }

  get size(): number {
    return this.waits.size
  }

  /** Waits until a condition holds, the time has passed, or the process is closed. */
  wait(request: WaitRequest): Effect.Effect<WaitState> {
    return Effect.flatMap(Clock.Clock, (clock) =>
      Effect.suspend(() => {
        // A seq that there is not yet means the last one.
        const afterSeq = Math.min(request.afterSeq, this.process.log.nextSeq() - 1)
        const from = offsetAfter(this.process.log, afterSeq)
        const gap = gapAfter(this.process, afterSeq)
        return Effect.map(this.await({ ...request, afterSeq }, from, clock), ({ met, unknown }) => {
          const { log, exited, closed, extension } = this.process
          const output = printed(log, afterSeq, from, request.maxBytes)
          if (output.omittedBytes === 0) extension?.delivered?.(log.nextSeq() - 1)
          return {
            ...output,
            met,
            unknown,
            gap,
            nextSeq: log.nextSeq(),
            exited: exited !== undefined,
            exitCode: exited?.exitCode ?? null,
            closed: closed !== undefined,
          }
        })
      }),
    )
  }

  private await(request: WaitRequest, from: number, clock: Clock.Clock) {
    return Effect.flatMap(Effect.context<never>(), (context) =>
      Effect.callback<{ met: Met | undefined; unknown: WaitState["unknown"] }>((resume) => {
        const wait = new Wait(this, request, from, clock)
        let alarm: Fiber.Fiber<void> | undefined
        const end = () => {
          alarm?.interruptUnsafe()
          this.remove(wait)
        }
        wait.onEnd = (met) => {
          resume(Effect.as(Effect.yieldNow, { met, unknown: wait.unknown() }))
          end()
        }
        const run = Effect.runForkWith(context)
        if (this.add(wait, clock, run)) alarm = run(Effect.interruptible(alarmOf(wait, clock)))
        return Effect.sync(end)
      }),
    )
  }

  /** True if the wait has not ended at once. */
  private add(wait: Wait, clock: Clock.Clock, run: (effect: Effect.Effect<void>) => unknown): boolean {
    if (this.waits.size === 0) {
      this.written = this.process.log.written()
      this.unsubscribe = this.process.subscribe(() => this.changed(clock))
    }
    this.waits.add(wait)
    const asks = wait.begin()
    wait.look()
    if (asks && this.waits.has(wait)) run(Effect.interruptible(this.watch))
    return this.waits.has(wait)
  }

  private remove(wait: Wait): void {
    if (!this.waits.delete(wait)) return
    wait.release()
    if (this.waits.size > 0) return
    this.unsubscribe?.()
    this.unsubscribe = undefined
  }

  private readonly watch = Effect.suspend(() =>
    this.evidence.run(
      {
        subject: () => this.subject(),
        inputs: () => (this.process.stdin === undefined ? 0 : this.process.stdin.taken()),
      },
      () => this.look(),
    ),
  )

  private subject() {
    const { child, stdio } = this.process
    return child?.pid === undefined ? undefined : { pid: child.pid, tty: stdio.kind === "pty" }
  }

  private changed(clock: Clock.Clock): void {
    const written = this.process.log.written()
    if (written !== this.written) {
      this.written = written
      this.lastOutputAt = clock.currentTimeMillisUnsafe()
      this.evidence.soon()
    }
    this.search.advance()
    this.look()
  }

  private look(): void {
    for (const wait of this.waits) wait.look()
  }
}

/** Looks whenever a time of the wait has passed. */
const alarmOf = (wait: Wait, clock: Clock.Clock): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (;;) {
      const due = wait.due()
      if (due === Infinity) return
      yield* Effect.sleep(Math.min(Math.max(0, due - clock.currentTimeMillisUnsafe()), longestTimerMillis))
      wait.look()
    }
  })

export interface Shared {
  readonly process: Process
  readonly search: OutputSearch
  readonly evidence: EvidenceWatch
  /** When output has last come. */
  readonly lastOutputAt: number
}

/** One wait, which ends once. */
class Wait {
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
