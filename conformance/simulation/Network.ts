/**
 * The network between the clients and the server: connections are opened, delayed, refused, left without an answer, cut
 * on both sides or on one. It knows since when each client has nothing to complain of.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Open } from "../../core/client/Reconnect.ts"
import { type Transport, TransportError } from "../../core/transport/Transport.ts"
import { Link } from "./Link.ts"
import type { Disturbance } from "./Plan.ts"
import type { Terms } from "./Pipe.ts"
import type { Seed } from "./Seed.ts"
import * as Tap from "./Tap.ts"
import type { WaitJudge } from "./WaitJudge.ts"
import type { World } from "./World.ts"

/** Serves the server's side of a new connection; false without a server. */
export type Accept = (open: Effect.Effect<Transport, never, Scope.Scope>) => boolean

interface Connection {
  readonly client: number
  readonly link: Link
  readonly tap: Tap.Tap
}

export interface Common {
  /** Capabilities that the server does not announce. */
  readonly hidden: ReadonlyArray<string>
  /** Processes that the server tells of carelessly. */
  readonly careless: ReadonlySet<string>
  /** Takes every wait. */
  readonly judge: WaitJudge
}

/** Milliseconds within which a server answers, however much waits on the way. */
export const answerBound = 30_000

/** The milliseconds by which one side may see a cut later than the other. */
const skew = 300

export class Network {
  /** Connections that are not over on both sides. */
  readonly connections = new Set<Connection>()
  /** The number of role notices that the server has sent to the owner of an id. */
  readonly tells = new Map<string, number>()
  /** Takes connections for the server. */
  accept: Accept = () => false
  /** Called when the server has no connection of a client any more. */
  atServed: (client: number) => void = () => {}
  private readonly world: World
  private readonly seed: Seed
  private readonly terms: Terms
  private readonly refused: Array<number> = []
  private readonly hanging: Array<number> = []
  private readonly disturbed: Array<number> = []
  private readonly losses: Array<number> = []
  private readonly left = new Map<string, number>()
  private opened = 0

  private readonly common: Common

  constructor(world: World, seed: Seed, terms: Terms, common: Common) {
    this.world = world
    this.seed = seed
    this.terms = terms
    this.common = common
  }

  open(client: number): Open {
    return Effect.gen({ self: this }, function* () {
      const number = (this.opened += 1)
      const seed = this.seed.fork(number)
      const { world, terms } = this
      yield* Effect.sleep(seed.between(...terms.delay))
      const hangs = (this.hanging[client] ?? 0) - world.now
      // A SYN without an answer is sent again.
      if (hangs > 0 && seed.chance(50)) yield* Effect.sleep(hangs)
      if ((this.refused[client] ?? 0) > world.now) return yield* refusal
      const { hidden, judge, careless } = this.common
      const tap = Tap.make(world, `c${client}.${number}`, {
        hidden,
        judge,
        isSmooth: (time) => this.isSmooth(client, time),
        disorder: Tap.disorderOf(seed.fork("disorder"), careless),
        tells: this.tells,
      })
      const link = new Link(world, seed, terms, tap)
      link.atLoss = () => this.loses(client)
      link.atServed = () => {
        const others = [...this.connections].filter((one) => one.client === client && one.link !== link)
        if (others.every((one) => one.link.ends.server)) this.atServed(client)
      }
      if (hangs > 0) link.freeze(world.now + hangs)
      if (!this.accept(link.open("server", "JSON-RPC message from simulation"))) return yield* refusal
      const connection: Connection = { client, link, tap }
      this.connections.add(connection)
      yield* Effect.addFinalizer(() => Effect.sync(() => this.leave()))
      world.note(`network: c${client}.${number} is connected`)
      return yield* link.open("client", "JSON-RPC message from simulated server")
    })
  }

  /** Something goes wrong. The server's part is not done here. */
  disturb({ client, kind, millis, side, bytes }: Disturbance): void {
    const { now } = this.world
    const affected = [...this.connections].filter((one) => one.client === client)
    // A session that can be taken over need not wait until the server has noticed the loss.
    const taken = kind === "strand" && side === "client" && !this.common.hidden.includes("sessionTakeover")
    this.spoil(client, taken || kind === "cut" || kind === "cutAfter" || kind === "stray" ? skew : millis)
    switch (kind) {
      case "cut":
        return affected.forEach(({ link }) => link.cut(skew))
      case "cutAfter":
        return affected.forEach(({ link }) =>
          link.cutAfter(side === "client" ? "up" : "down", bytes, skew, () => this.spoil(client, skew)),
        )
      case "strand":
        return affected.forEach(({ link }) => link.strand(side, millis))
      case "stray":
        return affected.forEach((connection) => this.stray(connection))
      case "freeze":
        return affected.forEach(({ link }) => link.freeze(now + millis))
      case "refuse":
        this.refused[client] = now + millis
        return
      case "hang":
        this.hanging[client] = now + millis
        return
      default:
    }
  }

  /** The server ends and is there again after so many milliseconds. If it is killed, every connection is lost. */
  interrupt(millis: number, clients: number, killed: boolean): void {
    for (let client = 0; client < clients; client++) this.spoil(client, millis + skew)
    if (killed) for (const { link } of this.connections) link.cut(skew)
  }

  /** The requests that wait for an answer: the method, its process, and since when. */
  get openCalls(): ReadonlyArray<string> {
    return [...this.connections].flatMap(({ tap }) => tap.openCalls())
  }

  /** Since when a client has had the connection that it has, and nothing was wrong; undefined if that is not so. */
  smoothSince(client: number): number | undefined {
    const healthy = this.healthySince(client)
    if (healthy === undefined) return undefined
    for (const { client: of, link, tap } of this.connections)
      if (of === client && !link.ends.client && !link.ends.server && tap.attached !== undefined)
        return Math.max(healthy, tap.attached.at)
    return undefined
  }

  /** True if nothing was wrong with the connection of a client since that time. */
  isSmooth(client: number, time: number): boolean {
    const since = this.smoothSince(client)
    return since !== undefined && since <= time
  }

  /**
   * The delay of messages that the server had for a client at some time and has sent now: 0 if something was wrong
   * since then. Messages that come while the connection carries all that it can are not late.
   */
  delaySince(client: number, at: number): number {
    const { now } = this.world
    const smooth = this.smoothSince(client)
    if (smooth === undefined || smooth > at) return 0
    const crowded = [...this.connections].flatMap((one) =>
      one.client === client && !one.link.ends.client ? (one.link.crowdedSince ?? []) : [],
    )
    return Math.min(now, ...crowded) - at
  }

  /** Until when that session was attached; undefined if it never was. */
  servedUntil(session: string): number | undefined {
    let until = this.left.get(session)
    for (const { link, tap } of this.connections)
      if (tap.attached?.session === session)
        until = Math.max(until ?? 0, Math.min(link.servedUntil, this.world.now))
    return until
  }

  /** Connections that a client has lost so far, for whatever reason. */
  lost(client: number): number {
    return this.losses[client] ?? 0
  }

  /** A client has lost a connection, or has given up waiting for one: its calls may fail. */
  loses(client: number): void {
    this.losses[client] = this.lost(client) + 1
  }

  /** A client has noticed that it has lost a connection: the losses count from now, if there were any. */
  noticesLoss(client: number): void {
    if (this.lost(client) > 0) this.loses(client)
  }

  /** Since when nothing is wrong for a client; undefined while something is. */
  healthySince(client: number): number | undefined {
    const until = this.disturbed[client] ?? 0
    return until > this.world.now ? undefined : until
  }

  /** An answer to no request ends a connection, if it arrives. */
  private stray({ client, link, tap }: Connection): void {
    const { world } = this
    const answer = tap.strayAnswer()
    if (answer === undefined || link.ends.client) return
    link.inject(answer)
    const since = world.now + skew
    world.watch(answerBound, () => {
      if (!link.ends.client && this.isSmooth(client, since))
        world.violate("one answer for each request", `c${client} takes a second answer to a request`)
    })
  }

  private spoil(client: number, millis: number): void {
    this.disturbed[client] = Math.max(this.disturbed[client] ?? 0, this.world.now + millis)
  }

  /** Forgets the connections that are over on both sides. */
  leave(): void {
    for (const connection of this.connections) {
      const { link, tap } = connection
      if (!link.ends.client || !link.ends.server) continue
      const session = tap.attached?.session
      if (session !== undefined)
        this.left.set(session, Math.max(this.left.get(session) ?? 0, link.servedUntil))
      this.connections.delete(connection)
    }
  }
}

const refusal = Effect.fail(new TransportError({ reason: "Open", message: "nobody is there" }))
