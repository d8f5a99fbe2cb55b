// The exit of a child whose output comes from another process.
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { expect, it } from "vitest"
import { effect, pass } from "../testing/Effects.ts"
import { Process } from "./Process.ts"

it(
  "an exit is not published before what the child had printed, however late that is delivered",
  effect(function* () {
    const delivered = Latch.makeUnsafe(false)
    const process = new Process("p", { stdio: { kind: "pipe", stdin: false } }, { bytes: 1000, chunks: 10 })
    process.begin({ flushed: delivered.await } as never, undefined)
    yield* Effect.forkScoped(process.supervise)
    process.events.exit({ kind: "exited", code: 0 })
    yield* pass(1000)
    expect(process.exited).toBeUndefined()
    process.events.output("stdout", Uint8Array.of(65))
    delivered.openUnsafe()
    yield* pass(1000)
    expect(process.exited?.seq).toBe(2)
  }),
)
