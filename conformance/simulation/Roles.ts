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

/** The clients that believe to write to a process. */
export type Roles = ReturnType<typeof make>

export const make = (truth: Truth) => {
  const believers = new Map<string, Believer>()
  let changedAt = 0
  let watched = false

  /** True if one of that key believes to write; undefined if it is not there. */
  const of = (key: string): boolean | undefined => believers.get(key)?.writes

  /** One of them gets its role. */
  const told = (key: string, believer: Believer): void => {
    believers.set(key, believer)
    changed(believer.actor)
  }

  /** One of them is there no more. */
  const left = (key: string): void => {
    const believer = believers.get(key)
    believers.delete(key)
    if (believer !== undefined) changed(believer.actor)
  }

  const changed = ({ world }: Actor): void => {
    changedAt = world.now
    watch()
  }

  const watch = (): void => {
    const [any] = believers.values()
    if (watched || any === undefined) return
    watched = true
    any.actor.world.watch(settling, () => {
      watched = false
      if (truth.closed || truth.killedAt !== undefined || truth.closingAt !== undefined) return
      judge()
      watch()
    })
  }

  const judge = (): void => {
    const all = [...believers]
    const settled = all.filter(([, { actor }]) => isSettled(actor))
    const writing = settled.filter(([, { writes }]) => writes)
    const [one] = settled
    if (one === undefined) return
    const { world } = one[1].actor
    const { key } = truth
    // guards: one-writer
    if (writing.length > 1)
      world.violate("one writer at a time", `${writing.map(([name]) => name).join(" and ")} write to ${key}`)
    if (settled.length === all.length && writing.length === 0 && all.some(([, { isOwner }]) => isOwner))
      world.violate("one writer at a time", `nobody writes to ${key}`)
  }

  /** All that the server has had to tell has come. */
  const isSettled = ({ network, index, separates, hasSameServer }: Actor): boolean => {
    const smooth = network.smoothSince(index)
    if (smooth === undefined || !separates || !hasSameServer) return false
    return network.delaySince(index, Math.max(smooth, changedAt)) >= settling
  }
  return { of, told, left }
}
