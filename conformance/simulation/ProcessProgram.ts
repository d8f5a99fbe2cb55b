/** A client starts a process, follows it to its end over every loss and absence, and calls it meanwhile. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Option from "effect/Option"
import type * as EventFeed from "../../core/client/EventFeed.ts"
import type { RemoteProcess } from "../../core/client/RemoteProcess.ts"
import type { Actor, Live } from "./Actor.ts"
import * as Losses from "./Losses.ts"
import { answerBound } from "./Network.ts"
import type { ProcessPlan, Reader } from "./Plan.ts"
import { Program } from "./Program.ts"
import { View } from "./View.ts"
import * as WriterCalls from "./WriterCalls.ts"

/** A process as the program holds it at the moment. */
export interface Held {
  readonly live: Live
  readonly process: RemoteProcess
  /** The session that it belongs to. */
  readonly sessionId: string
  /** Its events begin after this seq. */
  readonly after: number
}

/** The calls that are made on a process, each at its time. */
export type Calls = (program: ProcessProgram) => ReadonlyArray<Effect.Effect<void>>

/** The end of following a process: it is closed, lost with its client, or lost for good. */
type Ending = "closed" | "detached" | "lost"

const together = { concurrency: "unbounded", discard: true } as const

export class ProcessProgram extends Program<ProcessPlan> {
  readonly truth = this.actor.stage.children.truth(this.key)
  /** Undefined before the start, and while its client is away. */
  held: Held | undefined
  /** True when nothing more is to be done with the process. */
  over = false

  private readonly calls: Calls

  /** `calls` makes each call on it at its time. */
  constructor(actor: Actor, plan: ProcessPlan, calls: Calls) {
    super(actor, plan)
    this.calls = calls
  }

  protected readonly play = (live: Live): Effect.Effect<void> =>
    Effect.gen({ self: this }, function* () {
      const started = yield* this.plan.adopted === true ? this.adopt(live) : this.start(live)
      if (started !== undefined) {
        const calls = Effect.all(this.calls(this), together)
        yield* Effect.all([this.followAll(started), calls], together)
      }
    })

  private start(live: Live) {
    const { plan, actor, truth } = this
    return Effect.gen({ self: this }, function* () {
      this.doing = "starts"
      const since = this.since(live)
      const starting = live.client.startSubscribed({
        argv: ["simulated", plan.key],
        processId: plan.key,
        tty: plan.script.pty,
        pipeStdin: plan.script.stdin && !plan.script.pty,
        ...(plan.credit === undefined ? {} : { credit: plan.credit }),
        ...plan.times,
        ...plan.asks,
      })
      const result = yield* Effect.result(Effect.timeoutOption(starting, Math.min(plan.patience, 2 ** 30)))
      if (Result.isFailure(result)) {
        this.note(`start fails: ${result.failure.reason}`)
        truth.endWantedAt ??= actor.world.now
        if (plan.script.missing && result.failure.reason === "ProgramNotFound") return undefined
        const isCut = result.failure.reason === "EventsLost" && this.isLost(since)
        void (isCut ? Losses.checkGone(this, result.failure, 0) : this.excuse(result.failure, since, "start"))
        if (isCut || result.failure.reason === "Disconnected") expectEnd(this, live)
        return undefined
      }
      if (Option.isNone(result.success)) {
        this.note("start is given up")
        expectEnd(this, live)
        return undefined
      }
      const [{ process, subscription }, { sessionId }] = [result.success.value, live.client]
      this.note("is started")
      actor.started.set(plan.key, { sessionId, truth, at: actor.world.now, name: plan.asks?.name })
      if (plan.script.missing) this.violate("calls fail for a reason", "a program that is missing is started")
      this.held = { live, process, sessionId, after: 0 }
      yield* WriterCalls.followOwner(this, process)
      return subscription
    })
  }

  /** Starts it by a bare request, which is not taken back if its answer is lost, and follows what has come of it. */
  private adopt(live: Live) {
    const { plan, actor, truth } = this
    return Effect.gen({ self: this }, function* () {
      this.doing = "starts"
      const since = this.since(live)
      const { sessionId } = live.client
      const started = yield* Effect.result(
        live.client.call("process/start", {
          processId: plan.key,
          argv: ["simulated", plan.key],
          cwd: "file:///srv",
          env: {},
          tty: false,
        }),
      )
      if (Result.isFailure(started)) this.excuse(started.failure, since, "start")
      return yield* this.attach(sessionId, new View(actor.world, `c${actor.index}`, truth, 0, false))
    })
  }

  private followAll(first: EventFeed.Subscription) {
    const { actor, plan, truth } = this
    const view = (index: number, after: number) =>
      new View(actor.world, `c${actor.index}/${index}`, truth, after, index === 0 && plan.adopted !== true)
    const [main, ...others] = plan.readers
    const besides = others.map((reader, index) =>
      Effect.gen({ self: this }, function* () {
        yield* Effect.sleep(reader.after)
        const { held } = this
        if (held === undefined || this.over) return
        yield* this.consume(yield* held.process.subscribe, reader, view(index + 1, held.after), held)
      }),
    )
    return Effect.all([this.follow(first, main!, view(0, 0)), ...besides], together)
  }

  /** Follows the process to its end, through every client that has its session. */
  private follow(first: EventFeed.Subscription, reader: Reader, view: View) {
    return Effect.gen({ self: this }, function* () {
      let subscription: EventFeed.Subscription | undefined = first
      while (subscription !== undefined && this.held !== undefined) {
        this.doing = "follows"
        const ending: Ending = yield* this.consume(subscription, reader, view, this.held)
        this.note(`${ending} after ${view.last}`)
        const { sessionId } = this.held
        if (ending === "lost" && this.plan.drill === true) yield* callLost(this, this.held)
        if (ending !== "detached") break
        this.held = undefined
        subscription = yield* this.attach(sessionId, view)
      }
      this.over = true
    })
  }

  private attach(sessionId: string, view: View) {
    const { actor, plan } = this
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        this.doing = "waits for the next client"
        const live = yield* actor.connected
        if (actor.sessionId !== sessionId) {
          this.note("is lost with its session")
          return undefined
        }
        this.doing = "attaches"
        const since = this.since(live)
        const attached = yield* Effect.result(live.client.attach(plan.key, view.last))
        if (Result.isSuccess(attached)) {
          this.note(`is attached after ${view.last}`)
          this.held = { live, process: attached.success, sessionId, after: view.last }
          yield* WriterCalls.followOwner(this, attached.success)
          return yield* attached.success.subscribe
        }
        const error = attached.failure
        this.note(`is not attached: ${error.reason}`)
        if (error.reason === "EventsLost") return Losses.checkGone(this, error, view.last)
        if (error.reason === "UnknownProcess") {
          // Its start may have been lost.
          const known = plan.adopted !== true || this.truth.spawns > 0
          return known ? Losses.checkForgotten(this, "attach") : undefined
        }
        this.excuse(error, since, "attach")
        if (actor.isLive(live)) return undefined
      }
    })
  }

  private consume(subscription: EventFeed.Subscription, reader: Reader, view: View, held: Held) {
    const { truth } = this
    const lost = this.actor.network.lost(this.actor.index)
    return Effect.gen({ self: this }, function* () {
      for (let batch = 0; ; batch++) {
        const events = yield* subscription.next
        if (events === undefined) {
          if (!view.closed)
            this.violate("no byte is lost, doubled or out of order", "the events end without closed")
          return "closed" as const
        }
        for (const event of events) {
          if (event.kind === "failed") return this.fail(event, view, held, lost)
          view.take(event)
          if (event.kind === "output" || event.kind === "mark")
            this.checkPrompt(truth.pieces[event.seq - 1]?.at, event.seq)
          if (event.kind === "exited") this.checkPrompt(truth.exitedAt, event.seq)
        }
        if (reader.stall !== undefined && reader.stall.batch === batch)
          yield* Effect.sleep(reader.stall.millis)
        if (reader.pause > 0) yield* Effect.sleep(reader.pause)
      }
    })
  }

  /** While the network is well, output comes soon to those who read, however slow others are. */
  private checkPrompt(at = Infinity, seq: number): void {
    const { actor, plan } = this
    const slow = plan.readers.some(({ pause, stall }) => pause > 0 || stall !== undefined)
    if (slow || plan.careless === true || this.truth.blocked || !actor.separates) return
    if (actor.network.delaySince(actor.index, at) > answerBound)
      this.violate("a slow reader stalls its own child", `seq ${seq} comes ${actor.world.now - at} ms late`)
  }

  private fail(error: Losses.Failure, view: View, held: Held, lost: number): Ending {
    this.note(`fails: ${error.reason} ${error.message}`)
    switch (error.reason) {
      case "EventsLost":
        Losses.checkGone(this, error, view.last)
        if (view.main && this.plan.careless !== true)
          Losses.checkAttached(this, error, this.actor.network.smoothSince(this.actor.index))
        this.truth.endWantedAt ??= this.actor.world.now
        return "lost"
      case "SessionLost":
        if (this.actor.sessionId === held.sessionId)
          this.violate("calls fail for a reason", "its session is not lost")
        return "lost"
      case "Disconnected":
        if (this.actor.isLive(held.live) && this.actor.network.lost(this.actor.index) === lost)
          this.violate("calls fail for a reason", `nothing was lost: ${error.message}`)
        return "detached"
      default:
        this.violate("calls fail for a reason", `events fail: ${error.reason} ${error.message}`)
        return "lost"
    }
  }
}

/** Its start was given up, or has failed: it must not run on, once its client has had a connection for a while. */
const expectEnd = (program: ProcessProgram, live: Live): void => {
  const { actor, truth, plan } = program
  const { world, network, index } = actor
  const { sessionId } = live.client
  truth.endWantedAt ??= world.now
  world.watch(2 * answerBound + plan.script.spawnMillis, () => {
    const since = network.smoothSince(index)
    // Another client does not know of it.
    if (!actor.isLive(live) || actor.sessionId !== sessionId) return
    if (since === undefined || since > world.now - answerBound) return
    const { spawnedAt, killedAt, exitedAt, releasedAt } = truth
    // guards: scopes
    if (spawnedAt !== undefined && (killedAt ?? exitedAt ?? releasedAt) === undefined)
      program.violate("nothing outlives its session", "its start was given up or has failed, and it runs on")
  })
}

/** A call on a process of a lost session reaches no process of the next one. */
const callLost = (
  program: ProcessProgram,
  { process, sessionId }: { readonly process: RemoteProcess; readonly sessionId: string },
): Effect.Effect<void> => {
  if (program.actor.sessionId === sessionId) return Effect.void
  return Effect.map(Effect.result(process.terminate), (answer) => {
    if (Result.isSuccess(answer) || answer.failure.reason !== "SessionLost")
      program.violate("calls fail for a reason", "a process of a lost session is called in the next one")
  })
}
