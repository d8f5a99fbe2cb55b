/** Something that a client does in a run, from its time to its end. */
import * as Effect from "effect/Effect"
import type { ClientError } from "../../core/client/ClientError.ts"
import type { Actor, Live } from "./Actor.ts"
import { answerBound } from "./Network.ts"

/** The word of `doing` for a program at its end. */
export const nothingMore = "nothing more"

/** The name of a program, which no other one of the run has, and its time, in milliseconds. */
interface Planned {
  readonly key: string
  readonly at: number
}

/** The client of a time, and how often it had lost a connection by then. */
export interface Since {
  readonly live: Live
  readonly lost: number
}

export abstract class Program<Plan extends Planned = Planned> {
  readonly actor: Actor
  readonly plan: Plan
  readonly key: string
  /** The present step, for the report of what waits for ever. */
  doing = "waits for its time"

  constructor(actor: Actor, plan: Plan) {
    this.actor = actor
    this.plan = plan
    this.key = plan.key
  }

  readonly run: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    yield* Effect.sleep(this.plan.at)
    this.doing = "waits for a client"
    yield* this.play(yield* this.actor.connected)
    this.doing = nothingMore
  })

  /** All that it does, from its first client on. */
  protected abstract play(live: Live): Effect.Effect<void>

  note(text: string): void {
    const { actor, key } = this
    actor.world.note(`c${actor.index} ${key} ${text}`)
  }

  violate(invariant: string, detail: string): void {
    this.actor.world.violate(invariant, `c${this.actor.index}, ${this.key}: ${detail}`)
  }

  since(live: Live): Since {
    return { live, lost: this.actor.network.lost(this.actor.index) }
  }

  /** True if the client of that time is gone, or has lost a connection since. */
  isLost({ live, lost }: Since): boolean {
    const { actor } = this
    return !actor.isLive(live) || actor.network.lost(actor.index) > lost
  }

  /**
   * Says that an error has no reason, unless the client of that time is gone, has lost a connection since, or could not
   * make one for most of the time that it tried.
   */
  excuse(error: ClientError, since: Since, what: string): void {
    const ofLoss = ["Disconnected", "SessionLost", "Timeout", "Connect"].includes(error.reason)
    if ((this.isLost(since) || !this.actor.hasHealed(error.reason)) && ofLoss) return
    this.violate(
      "calls fail for a reason",
      `${what} fails: ${error.reason} ${error.code ?? ""} ${error.message}`,
    )
  }

  /**
   * Expects something within so many milliseconds besides the time of an answer; the returned function says that it
   * has come. If it has not, that is the network's fault unless nothing was wrong with it.
   */
  expect(what: string, millis = 0): () => void {
    const { world, network, index, settings } = this.actor
    // Long polls may take every slot, and delay the rest.
    if (settings.concurrentRequests < 1024) return () => {}
    const from = world.now
    return world.after(answerBound + millis, () => {
      if (network.isSmooth(index, from))
        this.violate("a slow reader stalls its own child", `${what} takes more than ${world.now - from} ms`)
    })
  }
  /** Makes a call that has to be answered so. */
  promptly<A, E, R>(what: string, call: Effect.Effect<A, E, R>, millis = 0): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const answered = this.expect(what, millis)
      return Effect.ensuring(
        call,
        Effect.sync(() => answered()),
      )
    })
  }
}
