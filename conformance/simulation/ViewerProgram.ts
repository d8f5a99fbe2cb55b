/**
 * A client looks on at a process of its own session or another client's: it sees every event in order, and of output
 * only what has left the log is said to be missing. With `block` nothing is, since the child waits.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as EventFeed from "../../core/client/EventFeed.ts"
import type { Gap } from "../../core/features/attach/wire.ts"
import type { RemoteProcess } from "../../core/client/RemoteProcess.ts"
import type { Actor, Live } from "./Actor.ts"
import type { Started } from "./Children.ts"
import * as Losses from "./Losses.ts"
import * as Pictures from "./Pictures.ts"
import type { ViewerPlan } from "./MixMaker.ts"
import { Program, type Since } from "./Program.ts"
import { View } from "./View.ts"
import * as WriterCalls from "./WriterCalls.ts"

interface Target {
  readonly processId: string
  readonly started: Started
}

/** The reasons with which calls and events fail when an attachment has ended. */
const ended: ReadonlySet<string> = new Set(["UnknownProcess", "Server", "Detached"])

export class ViewerProgram extends Program<ViewerPlan> {
  private readonly owner: Actor
  /** Output up to there is in a picture. */
  private painted = 0

  constructor(actor: Actor, plan: ViewerPlan, owner: Actor) {
    super(actor, plan)
    this.owner = owner
  }

  protected play(live: Live): Effect.Effect<void> {
    const target = this.target()
    return target === undefined ? Effect.void : this.look(live, target)
  }

  /** One of the processes that the other client has now. */
  private target(): Target | undefined {
    const { owner, plan } = this
    if (!owner.hasSameServer) return undefined
    const there = [...owner.started].filter(
      ([, { sessionId, truth }]) =>
        sessionId === owner.sessionId && !truth.closed && truth.spawnedAt !== undefined,
    )
    const [processId, started] = there[Math.floor((there.length * plan.which) / 100)] ?? []
    if (processId === undefined || started === undefined) return undefined
    return { processId, started }
  }

  private look(live: Live, target: Target) {
    const { actor, plan } = this
    const { processId, started } = target
    const { truth, sessionId } = started
    const after = Math.floor((truth.pieces.length * plan.after) / 100)
    return Effect.gen({ self: this }, function* () {
      this.doing = `attaches to ${processId}`
      const since = this.since(live)
      // From now on the process may wait for it.
      if (plan.policy === "block") truth.blocked = true
      if (plan.role?.reclaims === true && this.owner === actor)
        return yield* this.reclaim(processId, live, target)
      const writer = plan.role === undefined ? {} : { role: "writer" as const, take: plan.role.take }
      const attached = yield* Effect.result(
        live.client.attach({ processId, sessionId }, after, {
          policy: plan.policy,
          as: plan.key,
          ...writer,
        }),
      )
      if (Result.isFailure(attached)) {
        this.note(`is not attached: ${attached.failure.reason}`)
        if (WriterCalls.isRefused(attached.failure) && !writer.take) return undefined
        if (ended.has(attached.failure.reason)) return this.mayEnd(target)
        return this.excuse(attached.failure, since, "attach")
      }
      this.note(`looks at ${processId} after ${after}, ${plan.policy}`)
      this.doing = `looks at ${processId}`
      const { success: process } = attached
      const consuming = Effect.flatMap(process.subscribe, (subscription) =>
        this.consume(subscription, target, since, after),
      )
      yield* plan.role === undefined
        ? consuming
        : WriterCalls.during(consuming, this, process, plan.role, started, since)
      yield* this.leave(attached.success, since)
    })
  }

  /** Its owner takes the role of the writer back. */
  private reclaim(processId: string, live: Live, target: Target) {
    const since = this.since(live)
    const asked = live.client.call("process/attach", { processId, role: "writer", take: true })
    return Effect.map(Effect.result(asked), (answered) => {
      if (Result.isSuccess(answered)) {
        // guards: one-writer
        if (!answered.success.writer)
          this.violate("only the writer writes", "its owner takes the role in vain")
      } else if (ended.has(answered.failure.reason)) this.mayEnd(target)
      else this.excuse(answered.failure, since, "attach")
    })
  }

  private consume(subscription: EventFeed.Subscription, target: Target, since: Since, after: number) {
    const { actor, plan } = this
    const { truth } = target.started
    const view = new View(actor.world, `c${actor.index} ${plan.key}`, truth, after, false)
    /** The child has waited for this client all the time. */
    const holds = () => plan.policy === "block" && !this.isLost(since)
    return Effect.gen({ self: this }, function* () {
      for (let batch = 0; batch < plan.batches; batch++) {
        const events = yield* subscription.next
        if (events === undefined) {
          if (!view.closed)
            this.violate("no byte is lost, doubled or out of order", "its events end without closed")
          return
        }
        for (const event of events) {
          if (event.kind === "failed") return this.fail(event, target, since)
          if (event.kind === "gap" && plan.policy === "screen") this.picture(view, event, target)
          else if (event.kind === "gap") this.gap(view, event, target, holds() && view.last > after)
          else view.take(event)
        }
        if (plan.pause > 0) yield* Effect.sleep(plan.pause)
      }
      subscription.close()
    })
  }

  /** Only what has left the log may be missing: all of it, and nothing else. */
  private gap(
    view: View,
    { from, seq }: { readonly from: number; readonly seq: number },
    target: Target,
    held: boolean,
  ): void {
    const { truth } = target.started
    if (held) this.violate("an exact gap", `a child that waits has left out ${from} to ${seq}`)
    const gone = { gone: { from, to: seq }, message: `a gap from ${from} to ${seq}` }
    Losses.checkGone(
      { truth, actor: this.actor, violate: (_, detail) => this.violate("an exact gap", detail) },
      gone,
      view.last,
    )
    view.skip(seq)
  }

  /** Missing output is in a picture of the output up to its seq, or in one before, or has left the log. */
  private picture(view: View, event: Gap, target: Target): void {
    const { from, seq, screen } = event
    const { truth } = target.started
    if (screen !== undefined) {
      this.painted = screen.seq
      const fault = Pictures.faultOf(screen, truth)
      if (fault !== undefined) this.violate("a picture has all output up to its seq", fault)
      if (seq > screen.seq) this.violate("an exact gap", `${from} to ${seq} go beyond their picture`)
    }
    if (seq > this.painted) return this.gap(view, event, target, false)
    if (from !== view.last + 1) this.violate("an exact gap", `${from} to ${seq} follow ${view.last}`)
    if (truth.exitedSeq !== undefined && from <= truth.exitedSeq && truth.exitedSeq <= seq)
      this.violate("an exact gap", `the exit is in ${from} to ${seq}`)
    view.skip(seq)
  }

  private fail(error: Losses.Failure, target: Target, since: Since): void {
    this.note(`fails: ${error.reason} ${error.message}`)
    if (error.reason === "Disconnected" || error.reason === "SessionLost") {
      if (this.isLost(since)) return
      return this.violate("calls fail for a reason", `nothing was lost: ${error.message}`)
    }
    if (ended.has(error.reason)) return this.mayEnd(target)
    this.violate("calls fail for a reason", `its events fail: ${error.reason} ${error.message}`)
  }

  /** An attachment ends with its process and with the session of that, and lives as long. */
  private mayEnd({ started }: Target): void {
    const { owner } = this
    const { sessionId } = owner
    if (sessionId === undefined || sessionId !== started.sessionId || !owner.hasSameServer) return
    // A session without a connection for its time has ended, whether its client knows it or not.
    const since = owner.network.servedUntil(sessionId)
    if (since !== undefined && owner.world.now - since >= owner.settings.detachedMillis) return
    Losses.checkForgotten(
      {
        truth: started.truth,
        actor: this.actor,
        violate: (_, detail) => this.violate("an attachment lasts", detail),
      },
      "an attachment",
    )
  }

  private leave(process: RemoteProcess, since: Since) {
    return Effect.gen({ self: this }, function* () {
      this.doing = "leaves"
      const left = yield* Effect.result(process.detach)
      if (Result.isSuccess(left) || ended.has(left.failure.reason) || left.failure.reason === "SessionLost")
        return
      this.excuse(left.failure, since, "detach")
    })
  }
}
