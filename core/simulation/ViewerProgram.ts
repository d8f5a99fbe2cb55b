/**
 * A client looks on at a process of its own session or another client's: it sees every event in order, and of output
 * only what has left the log is said to be missing. With `block` nothing is, since the child waits.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as EventFeed from "../client/EventFeed.ts"
import type { RemoteProcess } from "../client/RemoteProcess.ts"
import type { Actor, Live } from "./Actor.ts"
import type { Started } from "./Children.ts"
import * as Losses from "./Losses.ts"
import type { ViewerPlan } from "./ProcessPlan.ts"
import { nothingMore, Program } from "./Program.ts"
import { View } from "./View.ts"

/** What is looked at. */
interface Target {
  readonly processId: string
  readonly started: Started
}

/** How calls and events fail when an attachment has ended. */
const ended: ReadonlySet<string> = new Set(["UnknownProcess", "Server", "Detached"])

/** One attachment. */
export class ViewerProgram extends Program {
  private readonly plan: ViewerPlan
  private readonly owner: Actor

  constructor(actor: Actor, plan: ViewerPlan, owner: Actor) {
    super(actor, plan.key)
    this.plan = plan
    this.owner = owner
  }

  /** Runs to its end. */
  readonly run: Effect.Effect<void> = Effect.gen(this, function* () {
    yield* Effect.sleep(this.plan.at)
    this.doing = "waits for a client"
    const live = yield* this.actor.connected
    const target = this.target()
    if (target !== undefined) yield* this.look(live, target)
    this.doing = nothingMore
  })

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
    return Effect.gen(this, function* () {
      this.doing = `attaches to ${processId}`
      const lost = actor.network.lost(actor.index)
      // From now on the process may wait for it.
      if (plan.policy === "block") truth.blocked = true
      const attached = yield* Effect.either(
        live.client.attach({ processId, sessionId }, after, { policy: plan.policy, as: plan.key }),
      )
      if (Either.isLeft(attached)) {
        this.note(`is not attached: ${attached.left.reason}`)
        if (ended.has(attached.left.reason)) return this.mayEnd(target)
        return this.excuse(attached.left, live, lost, "attach")
      }
      this.note(`looks at ${processId} after ${after}, ${plan.policy}`)
      this.doing = `looks at ${processId}`
      yield* this.consume(yield* attached.right.subscribe, target, live, lost, after)
      yield* this.leave(attached.right, live, lost)
    })
  }

  private consume(
    subscription: EventFeed.Subscription,
    target: Target,
    live: Live,
    lost: number,
    after: number,
  ) {
    const { actor, plan } = this
    const { truth } = target.started
    const view = new View(actor.world, `c${actor.index} ${plan.key}`, truth, after, false)
    /** The child has waited for this client all the time. */
    const holds = () => plan.policy === "block" && !this.isLost(live, lost)
    return Effect.gen(this, function* () {
      for (let batch = 0; batch < plan.batches; batch++) {
        const events = yield* subscription.next
        if (events === undefined) {
          if (!view.closed)
            this.violate("no byte is lost, doubled or out of order", "its events end without closed")
          return
        }
        for (const event of events) {
          if (event.kind === "failed") return this.fail(event, target, live, lost)
          if (event.kind === "gap") this.gap(view, event, target, holds() && view.last > after)
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

  private fail(error: Losses.Failure, target: Target, live: Live, lost: number): void {
    this.note(`fails: ${error.reason} ${error.message}`)
    if (error.reason === "Disconnected" || error.reason === "SessionLost") {
      if (this.isLost(live, lost)) return
      return this.violate("calls fail for a reason", `nothing was lost: ${error.message}`)
    }
    if (ended.has(error.reason)) return this.mayEnd(target)
    this.violate("calls fail for a reason", `its events fail: ${error.reason} ${error.message}`)
  }

  /** An attachment ends with its process and with the session of that, and lives as long. */
  private mayEnd({ started }: Target): void {
    const { owner } = this
    if (owner.sessionId !== started.sessionId || !owner.hasSameServer) return
    // A session that nobody has had for its time has ended, whether its client knows it or not.
    const since = owner.network.servedUntil(owner.index)
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

  private leave(process: RemoteProcess, live: Live, lost: number) {
    return Effect.gen(this, function* () {
      this.doing = "leaves"
      const left = yield* Effect.either(process.detach)
      if (Either.isRight(left) || ended.has(left.left.reason) || left.left.reason === "SessionLost") return
      this.excuse(left.left, live, lost, "detach")
    })
  }
}
