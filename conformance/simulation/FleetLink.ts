/**
 * The link between one host or router and the directory: requests and answers take their time, are lost, and some
 * requests arrive long after whoever asked has given up. While it is cut, nothing arrives.
 */
import * as Effect from "effect/Effect"
import type { DirectoryService } from "../../core/directory/Directory.ts"
import { refused, type DirectoryError } from "../../core/directory/DirectoryError.ts"
import type { FleetPlan } from "./FleetPlan.ts"
import type { Seed } from "./Seed.ts"
import type { World } from "./World.ts"

/** Milliseconds after which whoever asked gives up. */
const patience = 5_000

/** The most milliseconds by which a request is late. */
const mostLate = 60_000

export type Ask = <A>(
  ask: (directory: DirectoryService) => Effect.Effect<A, DirectoryError>,
) => Effect.Effect<A, DirectoryError>

export interface FleetLink {
  /** When it is whole again. */
  cutUntil: number
  /** From when on nothing is lost, and nothing comes late. */
  healsAt: number
  /** Asks, and gives up after a while: what was asked for may happen all the same, even later. */
  readonly ask: Ask
}

export const make = (world: World, seed: Seed, plan: FleetPlan, directory: DirectoryService): FleetLink => {
  const loses = () => seed.chance(plan.losses) && world.now < link.healsAt
  const link: FleetLink = {
    cutUntil: 0,
    healsAt: Infinity,
    ask: (ask) =>
      Effect.callback((resume) => {
        const cancel = world.after(patience, () => resume(Effect.fail(refused("Unavailable", "no answer"))))
        const carry = () => {
          if (link.cutUntil > world.now) return
          world.fork(
            Effect.map(Effect.exit(ask(directory)), (exit) => {
              if (loses()) return
              world.after(seed.between(0, plan.delay), () => {
                if (link.cutUntil > world.now) return
                cancel()
                resume(exit)
              })
            }),
          )
        }
        if (loses()) return
        const isLate = seed.chance(plan.late) && world.now < link.healsAt
        world.after(seed.between(0, isLate ? mostLate : plan.delay), carry)
      }),
  }
  return link
}
