import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as Memory from "../transport/Memory.ts"
import * as Connection from "./Connection.ts"

describe("Connection", () => {
  it(
    "takes nothing from the peer while a request waits for its code, and keeps the order",
    effect(function* () {
      const [left, right] = yield* Memory.makePair()
      const loaded = Deferred.makeUnsafe<void>()
      const seen: Array<string> = []
      const connection = yield* Connection.make(
        right,
        {
          request: ({ method }) => Effect.sync(() => (seen.push(method), "null")),
          loading: ({ method }) => (method === "late" ? Deferred.await(loaded) : undefined),
          slotted: (method) => method === "slotted",
          notification: ({ method }) => seen.push(method) > 0,
        },
        { concurrentRequests: 1 },
      )
      yield* Effect.forkScoped(connection.run)
      for (const [id, method] of ["first", "late", "slotted", "last"].entries())
        left.write(JSON.stringify({ id, method }))
      left.write(JSON.stringify({ method: "note" }))
      yield* settle
      expect(seen).toEqual(["first"])
      Deferred.doneUnsafe(loaded, Effect.void)
      yield* settle
      expect(seen).toEqual(["first", "late", "slotted", "last", "note"])
    }),
  )
})
