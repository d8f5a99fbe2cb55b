import { describe, expect, it } from "vitest"
import * as OptionNames from "./OptionNames.ts"

const names = { terminalSize: true, tty: true, env: true, maxDepth: true } as const
const message = (options: unknown) => OptionNames.refusal("start", names, options)?.message

describe("OptionNames", () => {
  it("accepts every name of the table, none, and no options at all", () => {
    expect(message({ tty: false, env: undefined })).toBeUndefined()
    expect(message({})).toBeUndefined()
    expect(message(undefined)).toBeUndefined()
  })

  it("names the unknown one, and those that are near", () => {
    expect(message({ tty: true, TTY: true })).toBe("start has no option 'TTY': did you mean 'tty'?")
    expect(message({ terminal: 1 })).toBe("start has no option 'terminal': did you mean 'terminalSize'?")
    expect(message({ maxDept: 1 })).toBe("start has no option 'maxDept': did you mean 'maxDepth'?")
    expect(message({ colour: 1 })).toBe(
      "start has no option 'colour': its options are terminalSize, tty, env, maxDepth",
    )
    // These exist on every object, and are no options.
    expect(message({ toString: 1 })).toContain("start has no option 'toString'")
  })

  it("names the two nearest, and of many options none that is far, but where they are listed", () => {
    const many = Object.fromEntries(
      ["timeoutMs", "timeout", "idleTimeout", "signalOnTimeout", "a", "b", "c", "d", "e"].map(
        (name) => [name, true] as const,
      ),
    )
    const says = (options: unknown) => OptionNames.refusal("run", many, options)?.message
    expect(says({ timout: 1 })).toBe("run has no option 'timout': did you mean 'timeout' or 'timeoutMs'?")
    expect(says({ TIMEOUT: 1 })).toBe("run has no option 'TIMEOUT': did you mean 'timeout' or 'timeoutMs'?")
    expect(says({ colour: 1 })).toBe("run has no option 'colour': its type lists all 9 options")
    expect(says("ls")).toBe("run takes an object of options, not a string: its type lists all 9 options")
  })

  it("refuses what is no object", () => {
    expect(message("ls")).toBe(
      "start takes an object of options, not a string: its options are terminalSize, tty, env, maxDepth",
    )
    expect(message(null)).toContain("not null")
    expect(message([])).toContain("not an array")
  })
})
