import { describe, expect, it } from "vitest"
import * as CommandLine from "./CommandLine.ts"

describe("CommandLine", () => {
  it("quotes what a shell would take apart, and nothing else", () => {
    expect(CommandLine.of(["git", "log", "--format=%h", "a/b.ts"])).toBe("git log --format=%h a/b.ts")
    expect(CommandLine.of(["sh", "-c", "echo 'x' $y", "", "~", "a\nb"])).toBe(
      "sh -c 'echo '\\''x'\\'' $y' '' '~' 'a\nb'",
    )
  })

  it("escapes what a terminal would obey", () => {
    expect(CommandLine.of(["\x1b[2J", "it's\ta\\b", "\x9bx"])).toBe(
      "$'\\x1b[2J' $'it\\'s\\x09a\\\\b' $'\\xc2\\x9bx'",
    )
  })
})
