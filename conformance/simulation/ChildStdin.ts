/** The stdin of a child: it reads from some time on, each write for so long, until it is deaf. */
import * as Effect from "effect/Effect"
import { StdinError } from "../../core/spawn/SpawnError.ts"
import type { Script } from "./Script.ts"
import type { Truth } from "./Truth.ts"
import type { World } from "./World.ts"

/** What is written to one child. */
export class ChildStdin {
  private readonly world: World
  private readonly truth: Truth
  private readonly each: number
  private readonly from: number
  private readonly until: number
  /** The child has exited, or is released. */
  private readonly isOver: () => boolean
  private readonly readers = new Set<() => void>()

  constructor(world: World, truth: Truth, { from, each, until }: Script["reads"], isOver: () => boolean) {
    this.world = world
    this.truth = truth
    this.each = each
    this.from = world.now + from
    this.until = world.now + until
    this.isOver = isOver
    truth.reads = { from: this.from, until: this.until, each }
  }

  /** Those that wait when it stops reading are woken then. */
  begin(): void {
    if (Number.isFinite(this.until)) this.world.after(this.until - this.world.now, () => this.wake())
  }

  /** Completes when the child has read it. */
  write(bytes: Uint8Array): Effect.Effect<void, StdinError> {
    return Effect.async<void, StdinError>((resume) => {
      const gone = () => resume(Effect.fail(new StdinError({ reason: "Closed" })))
      let cancel = () => {}
      const wake = () => {
        if (!this.isDeaf) return
        cancel()
        this.readers.delete(wake)
        gone()
      }
      const take = () => {
        this.readers.delete(wake)
        if (this.isDeaf) return gone()
        this.take(bytes[0]! * 256 + bytes[1]!)
        resume(Effect.void)
      }
      const wait = Math.max(0, this.from - this.world.now) + this.each
      if (this.isDeaf || wait === 0) return take()
      cancel = this.world.after(wait, take)
      this.readers.add(wake)
      return Effect.sync(() => {
        cancel()
        this.readers.delete(wake)
      })
    })
  }

  /** Fails those that wait, if nobody reads any more. */
  wake(): void {
    for (const wake of this.readers) wake()
  }

  private get isDeaf(): boolean {
    return this.isOver() || this.world.now >= this.until
  }

  private take(number: number): void {
    const { truth, world } = this
    const { written, key } = truth
    const before = truth.overtakes(number)
    world.trace.add(world.now, `child ${key} reads write ${number}`)
    if (written.includes(number))
      world.violate("a write reaches its process once", `${key} reads write ${number} again`)
    if (before !== undefined)
      world.violate("writes reach a process in order", `${key} reads write ${before} before ${number}`)
    written.push(number)
  }
}
