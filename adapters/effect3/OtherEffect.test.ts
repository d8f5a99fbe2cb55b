import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, test } from "vitest"
import { isOfEffect3 } from "../../core/protocol/OtherEffect.ts"

test("the promise doors know effects and layers of Effect 3, which they cannot run", () => {
  const given = [Effect.void, Effect.sync(() => 1), Layer.empty, Layer.effectDiscard(Effect.void)]
  expect(given.map(isOfEffect3)).toEqual([true, true, true, true])
})
