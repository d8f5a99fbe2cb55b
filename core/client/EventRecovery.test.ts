import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Call } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import * as EventRecovery from "./EventRecovery.ts"

describe("the recovery of events", () => {
  const forgotten = new ClientError({ reason: "Server", message: "unknown process id p" })

  it("says that nothing is gone which was published while the server was asked", () => {
    let last = 5
    const call = (() =>
      Effect.suspend(() => {
        last = 39
        return Effect.fail(forgotten)
      })) as unknown as Call
    const recovery = EventRecovery.make("p", call, () => last)
    const error = Effect.runSync(Effect.flip(recovery.readAfter(last)))
    expect(error.gone).toEqual({ from: 40 })
  })

  it("says that everything is gone after what a late consumer has, if the server has forgotten the process", () => {
    const call = (() => Effect.fail(forgotten)) as unknown as Call
    const recovery = EventRecovery.make("p", call, () => 39)
    const error = Effect.runSync(Effect.flip(recovery.catchUp(5, 20)))
    expect(error.gone).toEqual({ from: 6 })
  })
})
