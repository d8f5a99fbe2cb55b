/** Who waits until what was printed is in the files of a history. */
import * as Effect from "effect/Effect"

interface Waiter {
  readonly seq: number
  readonly resume: () => void
}

/** Those of one history. */
export class Waiters {
  private readonly all = new Set<Waiter>()

  /** True if there are any. */
  get waits(): boolean {
    return this.all.size > 0
  }

  /** Completes when `tell` is called with that seq or a greater one; `begin` is called once it waits. */
  until(seq: number, begin: () => void): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const waiter = { seq, resume: () => resume(Effect.yieldNow) }
      this.all.add(waiter)
      begin()
      return Effect.sync(() => this.all.delete(waiter))
    })
  }

  /** Everything up to that seq is in the files, or never will be. */
  tell(seq: number): void {
    for (const waiter of this.all) {
      if (waiter.seq > seq) continue
      this.all.delete(waiter)
      waiter.resume()
    }
  }
}
