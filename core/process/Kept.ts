/** The processes of one session that are kept until they are removed: the session does not expire before. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { LimitError } from "../protocol/Limits.ts"
import type { StartGate } from "./StartGate.ts"

/** Counts what is kept. */
export class Kept {
  private readonly gate: StartGate
  private count = 0
  private readonly none = Effect.unsafeMakeLatch(true)

  constructor(gate: StartGate) {
    this.gate = gate
  }

  /** Takes a place for one more. The returned function gives it back, once. */
  take(): Either.Either<() => void, LimitError> {
    return Either.map(this.gate.keep(), (leave) => {
      this.count += 1
      this.none.unsafeClose()
      return () => {
        leave()
        this.count -= 1
        if (this.count === 0) this.none.unsafeOpen()
      }
    })
  }

  /** Completes when nothing is kept. */
  get whenNone(): Effect.Effect<void> {
    return this.none.await
  }
}
