// LongPoll.read where it does not wait: what one read of the retained output answers.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { defaults } from "../protocol/Limits.ts"
import { effect } from "../testing/Effects.ts"
import { begin, now, pipe, texts } from "./testing/Registry.ts"

describe("LongPoll.read at once", () => {
  it(
    "answers at once without waitMs, even with nothing",
    effect(function* () {
      const { registry } = yield* begin()
      expect(yield* registry.read("p", now)).toEqual({
        chunks: [],
        nextSeq: 1,
        exited: false,
        exitCode: null,
        sandboxDenied: false,
        closed: false,
      })
      expect(yield* Effect.flip(registry.read("nope", now))).toMatchObject({
        reason: "Unknown",
        processId: "nope",
      })
    }),
  )

  it(
    "returns retained chunks above afterSeq, oldest first, again and again",
    effect(function* () {
      const { registry, child } = yield* begin()
      for (const text of ["a", "b", "c"]) child.output("stdout", text)
      const read = registry.read("p", { ...now, afterSeq: 1 })
      expect(texts(yield* read)).toEqual(["b", "c"])
      expect(texts(yield* read)).toEqual(["b", "c"])
      expect((yield* read).nextSeq).toBe(4)
    }),
  )

  it(
    "gives chunks that stay what they were when the ring goes on",
    effect(function* () {
      const { registry, child } = yield* begin({}, pipe, {
        limits: { ...defaults, retainedBytes: 8, retainedChunks: 8 },
      })
      child.output("stdout", "before")
      const state = yield* registry.read("p", now)
      for (let index = 0; index < 100; index++) child.output("stdout", "afterwards".slice(0, 8))
      expect(texts(state)).toEqual(["before"])
    }),
  )

  it.each([
    [0, 1],
    [1, 1],
    [9, 1],
    [10, 2],
    [12, 3],
    [15, 3],
    [16, 4],
    [2 ** 64, 4],
  ])("with maxBytes %i returns %i whole chunks of 4, 6, 2 and 4 bytes", (maxBytes, count) =>
    effect(function* () {
      const { registry, child } = yield* begin()
      for (const size of [4, 6, 2, 4]) child.output("stdout", "x".repeat(size))
      child.finish(0)
      const state = yield* registry.read("p", { ...now, maxBytes })
      expect(state.chunks.length).toBe(count)
      expect(state.nextSeq).toBe(count + 1)
      expect((yield* registry.read("p", now)).nextSeq).toBe(7)
      expect((yield* registry.read("p", { ...now, maxBytes, afterSeq: 4 })).nextSeq).toBe(7)
    })(),
  )
})
