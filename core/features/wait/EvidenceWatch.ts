/**
 * Asks for evidence while somebody waits for it: for a process and a question once in a while, however many waits ask.
 *
 * The time between two looks grows while nothing happens, and is never less than twenty times what a look takes: looks
 * take a twentieth of a processor at most.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Input, Port, ProcessEvidenceService, Subject } from "../../spawn/ProcessEvidence.ts"

/** Milliseconds between two looks: at first, and after a while without any news. */
export const soonestMillis = 20
/** The longest time between two looks, unless one takes long. */
export const latestMillis = 250

/** A question about input, or about a port. */
export type Question =
  | { readonly kind: "input" }
  | { readonly kind: "port"; readonly port: number; readonly host: string | undefined }

export type Answer = Input | Port

interface Asked {
  readonly question: Question
  users: number
  answer: Answer | undefined
  /** Number of writes that the process had taken when it was seen to ask for input; undefined if it was not. */
  seenAt: number | undefined
}

export interface Watched {
  /** The child asked about; undefined while its pid is not known. */
  readonly subject: () => Subject | undefined
  /** The number of writes that it has taken; undefined while one is on its way to it. */
  readonly inputs: () => number | undefined
}

export class EvidenceWatch {
  private readonly evidence: ProcessEvidenceService
  private readonly asked = new Map<string, Asked>()
  private readonly nudge = Latch.makeUnsafe(false)
  private pause = soonestMillis
  private running = false

  constructor(evidence: ProcessEvidenceService) {
    this.evidence = evidence
  }

  /** Asks from now on. */
  join(question: Question): void {
    const known = this.asked.get(keyOf(question))
    // An answer from before a wait begins is not for it.
    this.asked.set(keyOf(question), {
      question,
      users: (known?.users ?? 0) + 1,
      answer: undefined,
      seenAt: undefined,
    })
    this.soon()
    this.nudge.openUnsafe()
  }

  leave(question: Question): void {
    const known = this.asked.get(keyOf(question))
    if (known === undefined) return
    known.users -= 1
    if (known.users > 0) return
    this.asked.delete(keyOf(question))
    if (this.asked.size === 0) this.nudge.openUnsafe()
  }

  /** The answer since the last `join` of that question; undefined before the first look. */
  answer(question: Question): Answer | undefined {
    return this.asked.get(keyOf(question))?.answer
  }

  /** Something has happened: the next looks come sooner. */
  soon(): void {
    this.pause = soonestMillis
  }

  /** Looks again and again, and calls `told` after each look, while there is a question. Runs once at a time. */
  run(watched: Watched, told: () => void): Effect.Effect<void> {
    const round = Effect.gen({ self: this }, function* () {
      this.nudge.closeUnsafe()
      const begin = yield* Clock.currentTimeMillis
      const child = watched.subject()
      for (const asked of this.asked.values()) {
        const found = child === undefined ? noPid : yield* this.look(child, asked.question)
        asked.answer = asked.question.kind === "input" ? this.believe(asked, found, watched) : found
      }
      told()
      const took = (yield* Clock.currentTimeMillis) - begin
      yield* Effect.raceFirst(Effect.sleep(Math.max(this.pause, took * 20)), this.nudge.await)
      this.pause = Math.min(latestMillis, this.pause * 1.25)
    })
    const rounds = Effect.whileLoop({ while: () => this.asked.size > 0, body: () => round, step: () => {} })
    return Effect.suspend(() => {
      if (this.running) return Effect.void
      this.running = true
      return Effect.ensuring(
        rounds,
        Effect.sync(() => {
          this.running = false
        }),
      )
    })
  }

  /**
   * Input on its way was not seen by the process. Its output, its question too, may not have been read yet: the process
   * is believed to ask when it is seen so twice, without a write in between.
   */
  private believe(asked: Asked, found: Answer, { inputs }: Watched): Answer {
    const last = asked.seenAt
    asked.seenAt = found.kind === "yes" ? inputs() : undefined
    if (found.kind !== "yes" || (last !== undefined && last === asked.seenAt)) return found
    this.soon()
    return { kind: "no" }
  }

  private look(child: Subject, question: Question): Effect.Effect<Answer> {
    return question.kind === "input"
      ? this.evidence.input(child)
      : this.evidence.port(child, question.port, question.host)
  }
}

const noPid: Answer = { kind: "unknown", why: "the pid of the process is not known" }

const keyOf = (question: Question): string =>
  question.kind === "input" ? "input" : `${question.port} ${question.host ?? ""}`
