import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { expect, it } from "vitest"
import { ClientError } from "../client/ClientError.ts"
import { effect } from "../testing/Effects.ts"
import { make } from "./testing/Agent.ts"
import * as UnifiedExec from "./UnifiedExec.ts"

it(
  "frees the id of a command that could not be started",
  effect(function* () {
    const { client } = yield* make()
    const processIds: Array<string | undefined> = []
    const tools = yield* UnifiedExec.make({
      ...client,
      startSubscribed: ({ processId }) => {
        processIds.push(processId)
        return new ClientError({ reason: "Server", message: "no" })
      },
    })
    // The same random numbers lead to the same id, unless it is still taken.
    for (const seed of ["a", "a"]) {
      const start = Effect.flip(tools.execCommand({ cmd: "x" }))
      expect(yield* Random.withSeed(start, seed)).toMatchObject({ reason: "Create" })
    }
    expect(processIds[0]).toMatch(/^\d+-[0-9a-f]{6}$/)
    expect(processIds[1]).toBe(processIds[0])
  }),
)
