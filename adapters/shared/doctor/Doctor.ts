/** Every check of this machine, tried one after the other. */
import * as Effect from "effect/Effect"
import type { Platform } from "../Platform.ts"
import * as Check from "./Check.ts"
import * as LimitChecks from "./LimitChecks.ts"
import * as Machine from "./Machine.ts"
import * as RuntimeChecks from "./RuntimeChecks.ts"
import * as ToolChecks from "./ToolChecks.ts"

const checks: ReadonlyArray<Check.Check> = [
  ...RuntimeChecks.checks,
  ...ToolChecks.checks,
  ...LimitChecks.checks,
]

/** The names for `--require`. */
export const names: ReadonlyArray<string> = checks.map(({ name }) => name)

export const examine = (platform: Platform): Effect.Effect<ReadonlyArray<Check.Answer>> =>
  Effect.suspend(() => {
    const machine = Machine.make(platform)
    return Effect.forEach(checks, (check) => Check.answer(check, machine))
  })
