import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as ReadWriteLock from "./ReadWriteLock.ts"

/** Work that records when it begins and ends on request. */
const make = Effect.sync(() => {
  const lock = ReadWriteLock.make()
  const begun: Array<string> = []
  const work = (name: string) =>
    Effect.map(Deferred.make<void>(), (end) => ({
      end: Deferred.succeed(end, undefined),
      run: Effect.andThen(
        Effect.sync(() => begun.push(name)),
        Deferred.await(end),
      ),
    }))
  return { lock, begun, work }
})

describe("ReadWriteLock", () => {
  it(
    "runs shared work together and exclusive work alone, in the order of arrival",
    effect(function* () {
      const { lock, begun, work } = yield* make
      const [a, b, change, c] = yield* Effect.all([work("a"), work("b"), work("change"), work("c")])
      for (const each of [
        lock.shared(a.run),
        lock.shared(b.run),
        lock.exclusive(change.run),
        lock.shared(c.run),
      ]) {
        yield* Effect.forkChild(each)
      }
      yield* settle
      expect(begun).toEqual(["a", "b"])
      yield* a.end
      yield* settle
      expect(begun).toEqual(["a", "b"])
      yield* b.end
      yield* settle
      expect(begun).toEqual(["a", "b", "change"])
      yield* change.end
      yield* settle
      expect(begun).toEqual(["a", "b", "change", "c"])
      yield* c.end
    }),
  )

  it(
    "is left by whoever is interrupted, at whatever step of taking it",
    effect(function* () {
      for (const held of [false, true])
        for (let steps = 0; steps < 12; steps++) {
          const { lock, work } = yield* make
          const [first, second] = yield* Effect.all([work("first"), work("second")])
          if (held) yield* Effect.forkChild(lock.exclusive(first.run))
          const fiber = Effect.runFork(lock.shared(second.run))
          if (held) yield* settle
          yield* first.end
          // Between the turn that gives the lock and the one that takes it.
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          fiber.interruptUnsafe()
          const next = yield* Effect.forkChild(lock.exclusive(Effect.void))
          yield* settle
          expect(next.pollUnsafe(), `${held} after ${steps} steps`).toBeDefined()
        }
    }),
  )

  it(
    "releases the lock of an interrupted holder and drops an interrupted waiter",
    effect(function* () {
      const { lock, begun, work } = yield* make
      const [a, b, c] = yield* Effect.all([work("a"), work("b"), work("c")])
      const first = yield* Effect.forkChild(lock.exclusive(a.run))
      yield* settle
      const second = yield* Effect.forkChild(lock.exclusive(b.run))
      yield* Effect.forkChild(lock.shared(c.run))
      yield* settle
      yield* Fiber.interrupt(second)
      expect(begun).toEqual(["a"])
      yield* Fiber.interrupt(first)
      yield* settle
      expect(begun).toEqual(["a", "c"])
      yield* c.end
      yield* lock.exclusive(Effect.void)
    }),
  )

  it(
    "passes on a turn that comes in the moment in which the waiter is interrupted",
    effect(function* () {
      const { lock, begun, work } = yield* make
      const [a, b, c] = yield* Effect.all([work("a"), work("b"), work("c")])
      yield* Effect.forkChild(
        // The release begins b's turn, but its fiber is interrupted before it can run.
        Effect.andThen(
          lock.exclusive(a.run),
          Effect.sync(() => second.interruptUnsafe()),
        ),
      )
      yield* settle
      const second = yield* Effect.forkChild(lock.exclusive(b.run))
      yield* settle
      yield* a.end
      yield* settle
      yield* Effect.forkChild(lock.exclusive(c.run))
      yield* settle
      expect(begun).toEqual(["a", "c"])
      yield* c.end
    }),
  )

  it(
    "is released after a failure",
    effect(function* () {
      const lock = ReadWriteLock.make()
      expect(yield* Effect.flip(lock.exclusive(Effect.fail("no")))).toBe("no")
      expect(yield* lock.exclusive(Effect.succeed(1))).toBe(1)
    }),
  )
})
