import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { begin, bytes, now, texts } from "./testing/Registry.ts"
import type * as Fake from "../spawn/Fake.ts"

describe("LongPoll.read", () => {
  it(
    "accepts 2^64 as afterSeq, maxBytes and waitMs",
    effect(function* () {
      const { registry, child } = yield* begin()
      child.output("stdout", "x")
      const lot = 2 ** 64
      expect((yield* registry.read("p", { afterSeq: lot, maxBytes: lot, waitMillis: 0 })).chunks).toEqual([])
      const wait = yield* Effect.forkChild(
        registry.read("p", { afterSeq: lot, maxBytes: lot, waitMillis: lot }),
      )
      yield* pass(10 * 24 * 3600 * 1000)
      expect(wait.pollUnsafe()).toBeUndefined()
      child.finish()
      expect(yield* Fiber.join(wait)).toMatchObject({ closed: true, chunks: [] })
    }),
  )

  const waiting = (afterSeq: number, prepare: (child: Fake.FakeChild) => void, waitMillis = 5000) =>
    Effect.gen(function* () {
      const started = yield* begin()
      prepare(started.child)
      yield* pass(100)
      const fiber = yield* Effect.forkChild(
        started.registry.read("p", { afterSeq, maxBytes: Infinity, waitMillis }),
      )
      yield* settle
      const done = Effect.map(settle, () => fiber.pollUnsafe() !== undefined)
      return { ...started, done, state: Fiber.join(fiber) }
    })

  it(
    "waits for the first chunk above afterSeq",
    effect(function* () {
      const { child, done, state } = yield* waiting(2, (child) => child.output("stdout", "1"))
      child.output("stdout", "2")
      expect(yield* done).toBe(false)
      child.output("stderr", "3")
      expect(yield* done).toBe(true)
      expect(texts(yield* state)).toEqual(["3"])
    }),
  )

  it(
    "returns the empty state when waitMs is over, and no sooner",
    effect(function* () {
      const { done, state } = yield* waiting(0, () => {}, 200)
      yield* pass(199)
      expect(yield* done).toBe(false)
      yield* pass(1)
      expect(yield* state).toEqual({
        chunks: [],
        nextSeq: 1,
        exited: false,
        exitCode: null,
        closed: false,
        sandboxDenied: false,
      })
    }),
  )

  it(
    "returns at once from a closed process, whatever afterSeq is",
    effect(function* () {
      const { done, state } = yield* waiting(99, (child) => child.finish(4))
      expect(yield* done).toBe(true)
      expect(yield* state).toEqual({
        chunks: [],
        nextSeq: 3,
        exited: true,
        exitCode: 4,
        closed: true,
        sandboxDenied: false,
      })
    }),
  )

  it(
    "is woken by the exit of a silent process",
    effect(function* () {
      const { child, done, state } = yield* waiting(0, () => {})
      child.exit(3)
      yield* pass(1000)
      expect(yield* done).toBe(true)
      expect(yield* state).toMatchObject({ exited: true, exitCode: 3, closed: false, nextSeq: 2 })
    }),
  )

  it(
    "goes on waiting for late output if afterSeq is at the exit or above",
    effect(function* () {
      const late = (child: Fake.FakeChild) => {
        child.output("stdout", "early")
        child.exit(3)
      }
      const { child, done, state, registry } = yield* waiting(2, late)
      expect(yield* registry.read("p", { ...now, afterSeq: 2, waitMillis: 0 })).toMatchObject({
        exited: true,
        exitCode: 3,
        closed: false,
        nextSeq: 3,
      })
      expect(yield* done).toBe(false)
      child.output("stdout", "LATE")
      expect(texts(yield* state)).toEqual(["LATE"])
      const behind = yield* waiting(1, late)
      expect(yield* behind.done).toBe(true)
    }),
  )

  // guards: long-poll
  it(
    "invariant 7: a long poll cannot miss a wake-up between looking and waiting",
    effect(function* () {
      for (let steps = 0; steps < 60; steps++) {
        const { registry, child } = yield* begin()
        const polls = Array.from({ length: 3 }, () =>
          Effect.runFork(registry.read("p", { ...now, waitMillis: 1e6 })),
        )
        yield* Effect.repeat(Effect.yieldNow, { times: steps })
        if (steps % 2 === 0) child.output("stdout", "x")
        else child.finish()
        for (const poll of polls) expect((yield* Fiber.join(poll)).nextSeq).toBeGreaterThan(1)
      }
    }),
  )

  it("follows any process to its end by reading on from nextSeq, whatever happens in between", () => {
    const step = fc.oneof(
      fc.record({ output: fc.string({ minLength: 1, maxLength: 5 }) }),
      fc.record({ yields: fc.nat(10) }),
      fc.record({ pass: fc.nat(30) }),
      fc.constant({ exit: 1 }),
    )
    return fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), fc.integer({ min: 0, max: 8 }), (steps, maxBytes) =>
        effect(function* () {
          const { registry, child } = yield* begin()
          let printed = ""
          let read = ""
          const reader = yield* Effect.forkChild(
            Effect.gen(function* () {
              let afterSeq = 0
              for (;;) {
                const state = yield* registry.read("p", {
                  afterSeq,
                  maxBytes: maxBytes === 0 ? Infinity : maxBytes,
                  waitMillis: 1e9,
                })
                read += texts(state).join("")
                afterSeq = state.nextSeq - 1
                if (state.closed && state.chunks.length === 0) return state
              }
            }),
          )
          for (const step of steps) {
            if ("output" in step) {
              const text = step.output.replace(/[^ -~]/g, "?")
              printed += text
              child.output("stdout", text)
            } else if ("yields" in step) yield* Effect.repeat(Effect.yieldNow, { times: step.yields })
            else if ("pass" in step) yield* pass(step.pass)
            else child.exit(1)
          }
          child.finish(1)
          expect(yield* Fiber.join(reader)).toMatchObject({ exited: true, exitCode: 1, closed: true })
          expect(read).toBe(printed)
        })(),
      ),
      { numRuns: 40 },
    )
  })

  it(
    "lets go of its subscription when it is over or interrupted",
    effect(function* () {
      const { registry, process } = yield* begin()
      const poll = yield* Effect.forkChild(registry.read("p", { ...now, waitMillis: 1e6 }))
      yield* settle
      expect(process.subscribers).toBe(1)
      yield* Fiber.interrupt(poll)
      expect(process.subscribers).toBe(0)
      yield* Effect.forkChild(registry.read("p", { ...now, waitMillis: 10 }))
      yield* pass(10)
      expect(process.subscribers).toBe(0)
    }),
  )

  it(
    "delays no other request while it waits",
    effect(function* () {
      const { registry, child } = yield* begin()
      yield* Effect.forkChild(registry.read("p", { ...now, waitMillis: 1e6 }))
      yield* settle
      expect(yield* registry.write("p", bytes("x"), "w")).toBe("accepted")
      yield* registry.signal("p", "SIGINT")
      expect(yield* registry.terminate("p")).toBe(true)
      expect(child.kills).toBe(1)
    }),
  )
})
