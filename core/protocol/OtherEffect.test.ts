import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import { expect, onTestFinished, test } from "vitest"
import { logged, other } from "../testing/OtherVersion.ts"
import { isOther, quiet, quietAll } from "./OtherEffect.ts"

const step = other(Effect.sync(() => 1))
const warning = /^Executing an Effect versioned 3\.0\.0 with a Runtime/

test("an effect of another version is told from one's own", () => {
  expect([isOther(step), isOther(Effect.void), isOther(Effect.sync(() => 1))]).toEqual([true, false, false])
})

test("nothing is logged of a quiet effect, nor of what it does inside", async () => {
  expect((await logged(step))[0]).toMatch(warning)
  expect(await logged(quiet(step))).toEqual([])
  expect(await logged(quiet(Effect.flatMap(Effect.void, () => step)))).toEqual([])
})

test("once all are quiet, nothing is logged of any", async () => {
  const reference = FiberRef.versionMismatchErrorLogLevel
  const initial: unknown = Reflect.get(reference, "initial")
  onTestFinished(() => void Object.assign(reference, { initial }))
  quietAll()
  expect(await logged(step)).toEqual([])
})
