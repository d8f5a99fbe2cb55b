import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { effect } from "../testing/Effects.ts"
import * as Fork from "./Fork.ts"

const made = Effect.gen(function* () {
  const scope = yield* Scope.make()
  return { scope, fork: yield* Scope.provide(Fork.inScope, scope) }
})

describe("Fork.inScope", () => {
  it(
    "ends its fibers with the scope, which waits for them",
    effect(function* () {
      const { scope, fork } = yield* made
      const ended: Array<string> = []
      const slowly = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => ended.push("one")),
      )
      const one = fork(Effect.onInterrupt(Effect.never, () => slowly))
      const two = fork(Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push("two"))))
      const done = fork(Effect.succeed(3))
      expect(done.pollUnsafe()).toEqual(Exit.succeed(3))
      yield* Scope.close(scope, Exit.void)
      expect(ended).toEqual(["two", "one"])
      expect([one.pollUnsafe(), two.pollUnsafe()].every((exit) => exit && Exit.hasInterrupts(exit))).toBe(
        true,
      )
    }),
  )

  it(
    "can be ended though it was made where nothing can be interrupted",
    effect(function* () {
      const scope = yield* Scope.make()
      const fork = yield* Effect.uninterruptible(Scope.provide(Fork.inScope, scope))
      const fiber = fork(Effect.never)
      yield* Scope.close(scope, Exit.void)
      expect(Exit.hasInterrupts(yield* Fiber.await(fiber))).toBe(true)
    }),
  )

  it(
    "ends a fiber at once that is forked when the scope is closed",
    effect(function* () {
      const { scope, fork } = yield* made
      yield* Scope.close(scope, Exit.void)
      expect(Exit.hasInterrupts(yield* Fiber.await(fork(Effect.never)))).toBe(true)
    }),
  )
})
