import { describe, expect, it } from "vitest"
import * as Words from "./Words.ts"

describe("Words", () => {
  it("says times in two units at most", () => {
    const times = [-5, 0, 450, 999.6, 3200, 59_949, 60_000, 125_000, 7_380_000, 273_600_000].map(
      Words.duration,
    )
    expect(times.join(", ")).toBe(
      "0 ms, 0 ms, 450 ms, 1000 ms, 3.2 s, 59.9 s, 1 m 00 s, 2 m 05 s, 2 h 03 m, 3 d 04 h",
    )
    expect([400, 9999, 59_400, 61_000].map(Words.running).join(", ")).toBe("0 s, 9 s, 59 s, 1 m 01 s")
  })

  it("says sizes in units of 1000", () => {
    expect([0, 999, 1000, 12_345, 999_950, 34_000_000].map(Words.bytes).join(", ")).toBe(
      "0 B, 999 B, 1.0 kB, 12 kB, 1000 kB, 34 MB",
    )
  })

  it("says a command as it was typed, and shows what has no glyph or turns the text around", () => {
    expect(Words.command(["bash", "-c", "make && ls"])).toBe("make && ls")
    expect(Words.command(["git", "commit", "-m", "it's"])).toBe("git commit -m 'it'\\''s'")
    expect(Words.command(["a\u001b[2J\u202eb"])).toBe("'a\u241b[2J\ufffdb'")
  })

  it("says how a process has ended, and whether that is good", () => {
    const ends: ReadonlyArray<Words.End> = [
      { exitCode: 0 },
      { exitCode: 2, endedBy: "exit" },
      { exitCode: 139, signal: 11, endedBy: "signal" },
      { exitCode: 143, signal: 15, endedBy: "timeout" },
      { exitCode: 137, signal: 9, endedBy: "terminate" },
      { exitCode: 137, signal: 9, endedBy: "limit", limit: "mem" },
      { exitCode: 137 },
      { exitCode: null },
    ]
    expect(ends.map((end) => `${Words.ending(end)}: ${Words.toneOf(end)}`)).toEqual([
      "exited with 0: good",
      "exited with 2: bad",
      "killed by SIGSEGV: bad",
      "killed by SIGTERM at its deadline: bad",
      "killed by SIGKILL on request: calm",
      "killed by SIGKILL at its bound of memory: bad",
      "exited with 137 (128 + SIGKILL): bad",
      "ended: calm",
    ])
  })
})
