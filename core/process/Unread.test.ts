// The exit of a child whose spawner knows that output is still to be read.
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { effect, pass } from "../testing/Effects.ts"
import { maxQuietRounds, Process, quietMillis } from "./Process.ts"

const begin = (unread: Effect.Effect<boolean>) =>
  Effect.gen(function* () {
    const process = new Process("p", { stdio: { kind: "pipe", stdin: false } }, { bytes: 1000, chunks: 10 })
    process.begin({ unread } as never, undefined)
    yield* Effect.forkScoped(process.supervise)
    process.events.exit({ kind: "exited", code: 0 })
    return process
  })

it(
  "an exit is not published before what the child had printed, however late that is read",
  effect(function* () {
    let there = true
    const process = yield* begin(Effect.sync(() => there))
    yield* pass((maxQuietRounds - 2) * quietMillis)
    expect(process.exited).toBeUndefined()
    process.events.output("stdout", Uint8Array.of(65))
    there = false
    yield* pass(2 * quietMillis)
    expect(process.exited?.seq).toBe(2)
  }),
)

it(
  "an exit does not wait for ever for output that nothing reads",
  effect(function* () {
    const process = yield* begin(Effect.succeed(true))
    yield* pass(maxQuietRounds * quietMillis - 1)
    expect(process.exited).toBeUndefined()
    yield* pass(1)
    expect(process.exited?.seq).toBe(1)
  }),
)
