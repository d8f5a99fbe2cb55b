import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, test } from "vitest"
import { isOfEffect3 } from "./OtherEffect.ts"

test("an effect of this line is none of Effect 3, and so is anything else", () => {
  const others = [Effect.void, Effect.sync(() => 1), Layer.empty, {}, null, undefined, "effect", () => 1]
  expect(others.map(isOfEffect3)).toEqual(others.map(() => false))
})

test("an effect and a layer of Effect 3 are known by their marks", () => {
  const given = [{ [Symbol.for("effect/Effect")]: {} }, Object.create({ [Symbol.for("effect/Layer")]: {} })]
  expect(given.map(isOfEffect3)).toEqual([true, true])
})
