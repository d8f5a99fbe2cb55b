/**
 * Everybody who waits for something about one process. They share one subscription, one pass over the output and one
 * watch of evidence; without a wait there is none of them.
 *
 * Whether a condition holds is looked at when a wait begins, after every change of the process, and when a time has
 * passed, always in one synchronous step with what has changed: a wait cannot miss anything, and is never early.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ProcessEvidenceService } from "../../spawn/ProcessEvidence.ts"
import type { Process } from "../../process/Process.ts"
import type { Met, WaitRequest, WaitState } from "./Condition.ts"
import { EvidenceWatch } from "./EvidenceWatch.ts"
import { OutputSearch } from "./OutputSearch.ts"
import { gapAfter, offsetAfter, printed } from "../../process/Printed.ts"
import { Wait } from "./Wait.ts"
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
