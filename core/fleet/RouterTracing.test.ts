import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as SpanRecorder from "../testing/SpanRecorder.ts"
import * as TestFleet from "./testing/TestFleet.ts"

describe("the spans of a router", () => {
  it("lead from a client over two routers to its host, and back to it when it resumes", () => {
    const { ended, layer } = SpanRecorder.make()
    const spanIdOf = (name: string) => ended.find((one) => one.name === name)?.span.spanId
    const parentIdOf = (name: string) => SpanRecorder.parentOf(ended, name)?.spanId
    return effect(function* () {
      const { startRouter, killRouter, startHost, connect } = yield* Effect.provide(TestFleet.make, layer)
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* startRouter("r1")
          yield* startRouter("r2")
          const { fake } = yield* startHost("a", ["r2"])
          yield* settle
          const client = yield* Effect.withSpan(connect(["r1", "r2"]), "work")
          yield* Effect.withSpan(client.start({ argv: ["x"] }), "more work")
          yield* fake.next
          expect(parentIdOf("router start")).toBe(spanIdOf("work"))
          expect(parentIdOf("claim place")).toBe(spanIdOf("router start"))
          expect(SpanRecorder.attributesOf(ended, "dial host")).toEqual({ "host.id": "a" })
          expect(parentIdOf("router hop")).toBe(spanIdOf("dial host"))
          expect(parentIdOf("initialize")).toBe(spanIdOf("router start"))
          expect(parentIdOf("process/start")).toBe(spanIdOf("more work"))
          expect(
            new Set(ended.filter(({ name }) => !/process|more/.test(name)).map(({ span }) => span.traceId))
              .size,
          ).toBe(1)
          yield* killRouter("r1")
          yield* pass(10_000)
          const resumed = ended.filter(({ name }) => name === "initialize").at(-1)?.span.parent
          expect(resumed?._tag === "Some" && resumed.value.spanId).toBe(spanIdOf("router resume"))
        }),
        layer,
      )
    })()
  })
})
