import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import { Intake } from "./Requests.ts"

const owedAtMost = 8 * 1024 * 1024

describe("Intake", () => {
  it(
    "closes while it is held, and resumes those that wait when it opens",
    effect(function* () {
      const intake = new Intake(() => false)
      intake.hold(true)
      const waiting = yield* Effect.forkChild(intake.opened)
      yield* settle
      expect([intake.open, waiting.pollUnsafe()]).toEqual([false, undefined])
      intake.hold(false)
      yield* Fiber.join(waiting)
      expect(intake.open).toBe(true)
    }),
  )

  // guards: growth
  it("closes while the peer has too many answers to read", () => {
    const intake = new Intake(() => false)
    intake.owe(owedAtMost)
    expect([intake.open, intake.owing]).toEqual([true, false])
    intake.owe(1)
    expect([intake.open, intake.owing]).toEqual([false, true])
    intake.settle()
    intake.update()
    expect(intake.open).toBe(true)
  })

  it("closes while too many requests wait", () => {
    let crowded = true
    const intake = new Intake(() => crowded)
    intake.update()
    expect(intake.open).toBe(false)
    crowded = false
    intake.update()
    expect(intake.open).toBe(true)
  })
})
