/**
 * The clients that believe to write to a process: its owner, and those who have attached. While the connections of all
 * of them are well and nothing changes, exactly one does.
 */
import type { World } from "./World.ts"

/** A client, as far as its role depends on it. */
interface Actor {
  readonly index: number
  readonly world: World
  readonly network: {
    readonly smoothSince: (client: number) => number | undefined
    readonly delaySince: (client: number, at: number) => number
  }
  readonly separates: boolean
  readonly hasSameServer: boolean
}

/** The state of a child, as far as it ends the roles. */
interface Truth {
  readonly key: string
  readonly closed: boolean
  readonly killedAt: number | undefined
  readonly closingAt: number | undefined
}

/** Milliseconds within which a message comes that nothing holds up. */
const settling = 5000

interface Believer {
  readonly actor: Actor
  readonly isOwner: boolean
  readonly writes: boolean
}

export class Roles {
  private readonly truth: Truth
  private readonly believers = new Map<string, Believer>()
  private changedAt = 0
  private watched = false

  constructor(truth: Truth) {
    this.truth = truth
  }

  /** True if one of that key believes to write; undefined if it is not there. */
  of(key: string): boolean | undefined {
    return this.believers.get(key)?.writes
  }

  /** One of them gets its role. */
  told(key: string, believer: Believer): void {
    this.believers.set(key, believer)
    this.changed(believer.actor)
  }

  /** One of them is there no more. */
  left(key: string): void {
    const believer = this.believers.get(key)
    this.believers.delete(key)
    if (believer !== undefined) this.changed(believer.actor)
  }

  private changed({ world }: Actor): void {
    this.changedAt = world.now
    this.watch()
  }

  private watch(): void {
    const [any] = this.believers.values()
    if (this.watched || any === undefined) return
    this.watched = true
    any.actor.world.watch(settling, () => {
      this.watched = false
      if (this.truth.closed || this.truth.killedAt !== undefined || this.truth.closingAt !== undefined) return
      this.judge()
      this.watch()
    })
  }

  private judge(): void {
    const all = [...this.believers]
    const settled = all.filter(([, { actor }]) => this.isSettled(actor))
    const writing = settled.filter(([, { writes }]) => writes)
    const [one] = settled
    if (one === undefined) return
    const { world } = one[1].actor
    const { key } = this.truth
    // guards: one-writer
    if (writing.length > 1)
      world.violate("one writer at a time", `${writing.map(([name]) => name).join(" and ")} write to ${key}`)
    if (settled.length === all.length && writing.length === 0 && all.some(([, { isOwner }]) => isOwner))
      world.violate("one writer at a time", `nobody writes to ${key}`)
  }

  /** All that the server has had to tell has come. */
  private isSettled({ network, index, separates, hasSameServer }: Actor): boolean {
    const smooth = network.smoothSince(index)
    if (smooth === undefined || !separates || !hasSameServer) return false
    return network.delaySince(index, Math.max(smooth, this.changedAt)) >= settling
  }
}
