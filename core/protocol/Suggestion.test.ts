import { describe, expect, it } from "vitest"
import * as Suggestion from "./Suggestion.ts"

describe("Suggestion", () => {
  it("counts what is added, dropped, replaced and swapped", () => {
    expect(Suggestion.distance("run", "run")).toBe(0)
    expect(Suggestion.distance("rnu", "run")).toBe(1)
    expect(Suggestion.distance("listn", "listen")).toBe(1)
    expect(Suggestion.distance("sevre", "serve")).toBe(1)
    expect(Suggestion.distance("srvee", "serve")).toBe(2)
    expect(Suggestion.distance("", "abc")).toBe(3)
  })

  it("names the nearest word, and none that is far", () => {
    expect(Suggestion.ofWord("rnu", ["serve", "run", "mcp"])).toBe("; did you mean 'run'?")
    expect(Suggestion.ofWord("--max-proceses", ["--max-sessions", "--max-processes"])).toBe(
      "; did you mean '--max-processes'?",
    )
    expect(Suggestion.ofWord("bogus", ["serve", "run", "mcp"])).toBe("")
    expect(Suggestion.ofWord("-x", ["--help", "--env"])).toBe("")
  })

  it("knows a word by a part of it, and whatever its case", () => {
    expect(Suggestion.near("terminal", ["tty", "terminalSize"])).toEqual(["terminalSize"])
    expect(Suggestion.near("maxFileDescriptors", ["maxFiles", "fileDescriptors"])).toEqual([
      "fileDescriptors",
    ])
    expect(Suggestion.near("TTY", ["tty", "pty"])).toEqual(["tty", "pty"])
    expect(Suggestion.near("to", ["terminalSize", "tokens"])).toEqual([])
  })
})
