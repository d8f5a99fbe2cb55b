import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import * as AtOnce from "./AtOnce.ts"

const done = Effect.succeed(20)
const failed: Effect.Effect<number, string> = Effect.fail("no")
const later = Effect.delay(done, 1)
const twice = (value: number) => Effect.succeed(value * 2)

describe("what is done at once", () => {
  it("is an exit, and its successors are", () => {
    expect(AtOnce.exitOf(AtOnce.flatMap(done, twice))).toEqual(Exit.succeed(40))
    expect(AtOnce.exitOf(AtOnce.map(done, String))).toEqual(Exit.succeed("20"))
    expect(AtOnce.exitOf(AtOnce.mapError(failed, (text) => text.length))).toEqual(Exit.fail(2))
  })

  it("keeps a failure and a defect, and does not call what follows a success", () => {
    const never = (): Effect.Effect<never> => {
      throw new Error("called")
    }
    expect(AtOnce.exitOf(AtOnce.flatMap(failed, never))).toEqual(Exit.fail("no"))
    expect(AtOnce.exitOf(AtOnce.map(failed, never))).toEqual(Exit.fail("no"))
    expect(AtOnce.exitOf(AtOnce.mapError(Effect.die("broken"), never))).toEqual(Exit.die("broken"))
  })

  it("is nothing of an effect that has to run, which runs as ever", async () => {
    expect(AtOnce.exitOf(later)).toBeUndefined()
    const failsLater = Effect.andThen(later, failed)
    expect(await Effect.runPromise(AtOnce.flatMap(later, twice))).toBe(40)
    expect(await Effect.runPromise(AtOnce.map(later, String))).toBe("20")
    expect(await Effect.runPromise(Effect.flip(AtOnce.mapError(failsLater, (text) => text.length)))).toBe(2)
  })
})
