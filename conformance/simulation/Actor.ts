/**
 * One client: connects, comes back after an absence or the loss of its session, and judges the losses that are reported
 * to it.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { ClientError } from "../../core/client/ClientError.ts"
import * as ExecClient from "../../core/client/ExecClient.ts"
import type { Status } from "../../core/client/Reconnect.ts"
import type { Children, Started } from "./Children.ts"
import type { Disk } from "./Disk.ts"
import { answerBound, type Network } from "./Network.ts"
import type { Origin } from "./Origin.ts"
import type { ClientPlan, Plan, ServerPlan } from "./Plan.ts"
import type { Server } from "./Server.ts"
import type { World } from "./World.ts"

/** Milliseconds within which a healed network must have the session back: one handshake, one pause, and the rest. */
export const resumeBound = 17_000

/** The common surroundings of the clients of a run. */
export interface Stage {
  readonly plan: Plan
  readonly world: World
  readonly network: Network
  readonly server: Server
  readonly children: Children
  readonly disk: Disk
  readonly origin: Origin
}

/** A client as its programs see it. */
export interface Live {
  readonly client: ExecClient.ExecClient
  /** Differs for each. */
  readonly number: number
}

export class Actor {
  readonly index: number
  readonly plan: ClientPlan
  readonly stage: Stage
  readonly world: World
  readonly network: Network
  readonly server: Server
  readonly settings: ServerPlan
  /** The present step, for the report of what waits for ever. */
  doing = "nothing"
  /** The processes that programs have started, by their ids. */
  readonly started = new Map<string, Started>()
  /** Sessions that are over, for a reason that was checked. */
  readonly over = new Set<string>()
  private connectedAt = 0
  private outage = 0
  private live: Live | undefined
  private number = 0
  private readonly ready = Latch.makeUnsafe(false)
  private session: { readonly id: string; readonly generation: number } | undefined

  constructor(index: number, plan: ClientPlan, stage: Stage) {
    this.index = index
    this.plan = plan
    this.stage = stage
    this.world = stage.world
    this.network = stage.network
    this.server = stage.server
    this.settings = stage.plan.server
  }

  /** The client, as soon as it is connected. */
  readonly connected: Effect.Effect<Live> = Effect.suspend(() =>
    this.live === undefined ? Effect.andThen(this.ready.await, this.connected) : Effect.succeed(this.live),
  )

  /** Asks the server again and again whether it is there: nothing that others do may keep the answer away. */
  readonly probe: Effect.Effect<never> = Effect.gen({ self: this }, function* () {
    const { world, network, index } = this
    for (;;) {
      const { client } = yield* this.connected
      const from = world.now
      const late = world.after(answerBound, () => {
        if (network.isSmooth(index, from))
          world.violate(
            "a slow reader stalls its own child",
            `${this.name} has no answer after ${answerBound} ms`,
          )
      })
      yield* Effect.ignore(client.call("environment/status", null))
      late()
      yield* Effect.sleep(5000)
    }
  })

  /** True while this client is the one that programs use. */
  isLive({ number }: Live): boolean {
    return this.live?.number === number
  }

  /** True unless a connection could not be made (`Timeout`), and little time has passed since the network is well. */
  hasHealed(reason: ClientError["reason"]): boolean {
    if (reason !== "Timeout") return true
    const healthy = this.network.healthySince(this.index)
    return healthy !== undefined && this.world.now - healthy > resumeBound
  }

  /** Connects, again and again, until `done`; then closes. */
  run(done: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const absences = [...this.plan.absences]
      for (;;) {
        this.doing = "connects"
        const scope = yield* Scope.make()
        const made = yield* Effect.result(Scope.provide(this.connect, scope))
        if (Result.isFailure(made)) {
          yield* Scope.close(scope, Exit.void)
          this.refused(made.failure)
          if (Option.isSome(yield* Effect.timeoutOption(done, 500))) return
          continue
        }
        this.publish(made.success)
        this.doing = "is connected"
        const next = absences[0] === undefined ? Infinity : Math.max(0, absences[0].at - this.world.now)
        const away = Effect.as(Effect.sleep(next), "away" as const)
        const why = yield* Effect.raceAll([
          Number.isFinite(next) ? away : Effect.never,
          Effect.as(made.success.disconnected, "lost" as const),
          Effect.as(done, "done" as const),
        ])
        this.note(`leaves: ${why}`)
        this.unpublish()
        this.doing = "closes"
        yield* Scope.close(scope, Exit.void)
        if (why === "done") return
        if (why === "lost") continue
        this.doing = "is away"
        yield* Effect.sleep(absences.shift()?.millis ?? 0)
      }
    })
  }

  /** True if every process of the client waits for its own reader only. */
  get separates(): boolean {
    return this.settings.credits && this.plan.processes.every(({ credit }) => credit !== null)
  }

  get sessionId(): string | undefined {
    return this.session?.id
  }

  /** True while the server runs that has the session, or had it. */
  get hasSameServer(): boolean {
    return this.server.isUp && this.session !== undefined && this.server.has(this.session)
  }

  /** Checks that a session may be unknown to the server, and notes that it is over. */
  private lose(message: string): void {
    const { session, network, world } = this
    if (session === undefined) return
    this.leave()
    this.note(`loses its session: ${message}`)
    if (!this.server.has(session)) return
    const since = network.servedUntil(session.id) ?? 0
    if (world.now - since >= this.settings.detachedMillis) return
    world.violate(
      "a session lives for its time",
      `${this.name} loses it ${world.now - since} ms after its last connection: ${message}`,
    )
  }

  private get name(): string {
    return `c${this.index}`
  }

  private readonly connect = Effect.suspend(() =>
    ExecClient.make(this.network.open(this.index), {
      clientName: this.name,
      reconnect: {},
      onSessionLost: this.plan.onSessionLost,
      onStatus: (status) => this.status(status),
      ...(this.session === undefined ? {} : { resumeSessionId: this.session.id }),
    }),
  )

  /** The first attempt of a client is tried once, so anything of the network is a reason. */
  private refused(error: ClientError): void {
    const { reason, code } = error
    this.note(`is refused: ${reason} ${error.message}`)
    if (reason === "Server" && code !== sessionAttached) return this.lose(error.message)
    if (reason === "Protocol") this.world.violate("clients understand the server", error.message)
  }

  private publish(client: ExecClient.ExecClient): void {
    this.connectedAt = this.outage = this.world.now
    this.session = { id: client.sessionId, generation: this.server.generation }
    this.live = { client, number: (this.number += 1) }
    this.ready.openUnsafe()
  }

  private unpublish(): void {
    this.live = undefined
    this.ready.closeUnsafe()
  }

  private status(status: Status): void {
    this.note(`status ${status.kind}${"message" in status ? `: ${status.message}` : ""}`)
    // A connection that is lost quickly continues the outage before it.
    if (status.kind === "reconnecting" && this.world.now - this.connectedAt >= 1000)
      this.outage = this.world.now
    // Messages of a client between the loss and the moment at which it notices are lost, too.
    if (status.kind === "reconnecting") this.network.noticesLoss(this.index)
    if (status.kind === "connected" || status.kind === "newSession") this.connectedAt = this.world.now
    if (status.kind === "newSession") {
      this.session = { id: status.sessionId, generation: this.server.generation }
      return
    }
    if (status.kind !== "failed" && status.kind !== "sessionLost") return
    if (status.kind === "failed") this.unpublish()
    if (status.message.includes("unknown session")) return this.lose(status.message)
    this.network.loses(this.index)
    const tried = this.world.now - this.outage
    if (tried < window && this.hasSameServer)
      this.world.violate(
        "a client gets its session back",
        `${this.name} gives up after ${tried} ms: ${status.message}`,
      )
    const sameServer = this.hasSameServer
    // A client that begins anew leaves its session to expire.
    if (status.kind === "sessionLost") this.leave()
    const healthy = this.network.healthySince(this.index)
    const healed = healthy === undefined ? 0 : this.world.now - healthy
    if (sameServer && healed > resumeBound)
      this.world.violate(
        "a client gets its session back",
        `${this.name} gives up ${healed} ms after the network has healed: ${status.message}`,
      )
  }

  private leave(): void {
    if (this.session !== undefined) this.over.add(this.session.id)
    this.session = undefined
  }

  private note(text: string): void {
    this.world.note(`${this.name} ${text}`)
  }
}

/** Milliseconds for which a client tries to reconnect, less its last pause. */
const window = 22_000

const sessionAttached = -32010
