/**
 * Requests that meet on one process id, without what a client does by itself to keep them apart: many writes at once,
 * requests while a process starts, and a second start with the id of one that has failed.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fiber from "effect/Fiber"
import type { Encoded, Params } from "../../core/client/Calls.ts"
import type { ClientError } from "../../core/client/ClientError.ts"
import { toBase64 } from "../../core/protocol/Bytes.ts"
import type * as Methods from "../../core/protocol/Methods.ts"
import type { Live } from "./Actor.ts"
import type { DrillPlan } from "./Plan.ts"
import { Program, type Since } from "./Program.ts"

/** Milliseconds within which a child is gone whose start has failed, besides what its spawn takes. */
const endBound = 10_000

export class DrillProgram extends Program<DrillPlan> {
  private readonly truth = this.actor.stage.children.truth(this.key)

  protected readonly play = (live: Live): Effect.Effect<void> =>
    Effect.gen({ self: this }, function* () {
      const { plan } = this
      const begin = this.since(live)
      this.doing = plan.kind
      yield* this[plan.kind](begin)
      if (!this.isLost(begin)) yield* this.ask(begin, "process/terminate", { processId: plan.key })
    })

  /** All at the same time; the first two bytes of each are its number. */
  private writes(begin: Since) {
    return Effect.gen({ self: this }, function* () {
      const { plan } = this
      if (Result.isFailure(yield* this.start(begin, plan.key))) return
      const numbers = Array.from({ length: plan.calls }, (_, number) => number)
      for (const number of numbers) this.truth.asked.push({ number, lost: begin.lost })
      const all = plan.twice ? numbers.flatMap((number) => [number, number]) : numbers
      yield* Effect.forEach(all, (number) => this.write(begin, number), {
        concurrency: "unbounded",
        discard: true,
      })
    })
  }

  private write(begin: Since, number: number) {
    const { key, script, calls } = this.plan
    const chunk = toBase64(new Uint8Array([number >> 8, number & 255]))
    const params = { processId: key, chunk, writeId: `${key}.${number}` }
    const patience = script.reads.from + 2 * calls * script.reads.each
    return Effect.map(this.ask(begin, "process/write", params, patience), (answer) => {
      if (Result.isFailure(answer)) return
      const { status } = answer.success
      if (status === "accepted") this.truth.accepted.set(number, this.actor.world.now)
      else if (this.truth.exitedAt === undefined)
        this.unless(begin, `write ${number} is answered with ${status}`)
    })
  }

  /** Reads while the process starts are answered when it has started. */
  private waiting(begin: Since) {
    return Effect.gen({ self: this }, function* () {
      const { key, calls, delay, script } = this.plan
      const reads = Effect.forEach(
        Array.from({ length: calls }),
        () => this.ask(begin, "process/read", { processId: key }, script.spawnMillis),
        { concurrency: "unbounded", discard: true },
      )
      const started = yield* Effect.forkChild(this.start(begin, key))
      yield* Effect.andThen(Effect.sleep(delay), reads)
      yield* Fiber.join(started)
    })
  }

  /** A start that is cancelled leaves no child, and its id is free. */
  private cancelled(begin: Since) {
    return Effect.gen({ self: this }, function* () {
      const { key, delay } = this.plan
      const starting = yield* Effect.forkChild(this.start(begin, key))
      yield* Effect.sleep(delay)
      const ended = yield* this.ask(begin, "process/terminate", { processId: key })
      const started = yield* Fiber.join(starting)
      if (Result.isFailure(ended) || !ended.success.running || Result.isSuccess(started)) return
      if (started.failure.reason !== "Disconnected") this.expectEnd()
      yield* this.again(begin)
    })
  }

  /** A start that fails leaves its id free. */
  private missing(begin: Since) {
    return Effect.gen({ self: this }, function* () {
      const started = yield* this.start(begin, this.plan.key)
      if (Result.isSuccess(started)) return this.unless(begin, "a program that is missing is started")
      yield* this.again(begin)
    })
  }

  private again(begin: Since) {
    const { next, key } = this.plan
    if (next === undefined || this.isLost(begin)) return Effect.void
    return Effect.map(this.start(begin, next.key), (started) => {
      if (Result.isFailure(started))
        this.unless(begin, `${key} is not started again: ${started.failure.message}`)
    })
  }

  private start(begin: Since, child: string) {
    const { key, script } = this.plan
    const params: Encoded<"process/start"> = {
      processId: key,
      argv: ["simulated", child],
      cwd: "file:///srv",
      env: {},
      tty: false,
      pipeStdin: script.stdin,
    }
    return this.ask(begin, "process/start", params, script.spawnMillis)
  }

  /** The answer, or why there is none. It must come within so many milliseconds besides the time of an answer. */
  private ask<M extends Methods.RequestName>(
    begin: Since,
    method: M,
    params: Params<M>,
    millis = 0,
  ): Effect.Effect<Result.Result<Methods.ResultOf<M>, ClientError>> {
    const asked = this.promptly(method, begin.live.client.call(method, params), millis)
    return Effect.map(Effect.result(asked), (answer) => {
      this.note(`${method} ${Result.isSuccess(answer) ? "is answered" : `fails: ${answer.failure.reason}`}`)
      if (
        Result.isFailure(answer) &&
        answer.failure.reason !== "Server" &&
        answer.failure.reason !== "ProgramNotFound"
      )
        this.excuse(answer.failure, begin, method)
      return answer
    })
  }

  private expectEnd(): void {
    const { truth, actor, plan } = this
    const { spawnMillis, releaseMillis } = plan.script
    actor.world.watch(spawnMillis + releaseMillis + endBound, () => {
      if (truth.spawnedAt !== undefined && truth.releasedAt === undefined)
        this.violate("nothing outlives its session", "its start was cancelled, and its child lives")
    })
  }

  /** Something is wrong, unless a connection was lost. */
  private unless(begin: Since, what: string): void {
    if (!this.isLost(begin)) this.violate("calls fail for a reason", what)
  }
}
