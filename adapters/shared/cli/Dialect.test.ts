/** ServeCommand.ts: the flag `--dialect`. What each dialect says is tested in core. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { help, readOptions } from "./ServeCommand.ts"
import { UsageError } from "./Flags.ts"

const read = (dialect?: string) => readOptions(dialect === undefined ? {} : { dialect })

describe("--dialect", () => {
  it("is today's wire unless another is named", () => {
    expect(Effect.runSync(read()).dialect).toBe("current")
    for (const dialect of ["current", "v0", "auto"]) {
      expect(Effect.runSync(read(dialect)).dialect).toBe(dialect)
      expect(help).toMatch(new RegExp(`--dialect NAME[^-]*${dialect}`))
    }
  })

  it("is wrong use with another name, also that of something every object has", () => {
    for (const dialect of ["v1", "", "toString"]) {
      expect(Effect.runSync(Effect.flip(read(dialect)))).toEqual(
        new UsageError({
          command: "procwire serve",
          message: `invalid value '${dialect}' for '--dialect': possible values: current, v0, auto`,
        }),
      )
    }
  })
})
