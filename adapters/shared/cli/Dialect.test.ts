/** `--dialect` as it is asked for; what each of them says is tested where it is. */
import { describe, expect, it } from "vitest"
import { help, toOptions } from "./ServeCommand.ts"
import { UsageError } from "./Flags.ts"

describe("--dialect", () => {
  it("is today's wire unless another is named", () => {
    expect(toOptions({}).dialect).toBe("current")
    for (const dialect of ["current", "v0", "auto"]) {
      expect(toOptions({ dialect }).dialect).toBe(dialect)
      expect(help).toMatch(new RegExp(`--dialect NAME[^-]*${dialect}`))
    }
  })

  it("is wrong use with another name, also that of something every object has", () => {
    for (const dialect of ["v1", "", "toString"]) {
      expect(() => toOptions({ dialect })).toThrow(
        new UsageError(
          "procwire serve",
          `invalid value '${dialect}' for '--dialect': possible values: current, v0, auto`,
        ),
      )
    }
  })
})
