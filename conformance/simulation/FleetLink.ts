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

export class FleetLink {
  /** When it is whole again. */
  cutUntil = 0
  /** From when on nothing is lost, and nothing comes late. */
  healsAt = Infinity
  private readonly world: World
  private readonly seed: Seed
  private readonly plan: FleetPlan
  private readonly directory: DirectoryService

  constructor(world: World, seed: Seed, plan: FleetPlan, directory: DirectoryService) {
    this.world = world
    this.seed = seed
    this.plan = plan
    this.directory = directory
  }

  /** Asks, and gives up after a while: what was asked for may happen all the same, even later. */
  readonly ask: Ask = (ask) =>
    Effect.callback((resume) => {
      const { world, seed, plan } = this
      const answer = (result: Effect.Effect<never, DirectoryError> | ReturnType<typeof ask>) => resume(result)
      const cancel = world.after(patience, () => answer(Effect.fail(refused("Unavailable", "no answer"))))
      const carry = () => {
        if (this.cutUntil > world.now) return
        world.fork(
          Effect.map(Effect.exit(ask(this.directory)), (exit) => {
            if (this.loses()) return
            world.after(seed.between(0, plan.delay), () => {
              if (this.cutUntil > world.now) return
              cancel()
              answer(exit)
            })
          }),
        )
      }
      if (!this.loses())
        world.after(
          seed.chance(plan.late) && world.now < this.healsAt
            ? seed.between(0, mostLate)
            : seed.between(0, plan.delay),
          carry,
        )
    })

  private loses(): boolean {
    return this.seed.chance(this.plan.losses) && this.world.now < this.healsAt
  }
}
