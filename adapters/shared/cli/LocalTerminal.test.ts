import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeModes } from "./LocalTerminal.ts"

const after = (...pieces: ReadonlyArray<string>) => {
  const modes = makeModes()
  for (const piece of pieces) modes.scan(new TextEncoder().encode(piece))
  return modes.restore()
}

const vim =
  "\x1b[?1049h\x1b[22;0;0t\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[1;24r\x1b[?12h\x1b[?12l\x1b[22;2t" +
  "\x1b[?1006;1002h\x1b[?25l\x1b[2J\x1b[H\x1b[94m~\x1b[m\x1b[31;1mred é"

describe("TerminalModes", () => {
  it("has nothing to restore after plain text, movements and colours that were reset", () => {
    expect(
      after("hello\n", "\x1b[2J\x1b[1;1H\x1b[31mred\x1b[0m \x1b[1;31mbold\x1b[m", "\x1b]0;title\x07"),
    ).toBe("")
  })

  it("switches off what an editor has switched on, the alternate screen last", () => {
    const text = after(vim)
    for (const mode of ["1", "2004", "1004", "1006", "1002"]) expect(text).toContain(`\x1b[?${mode}l`)
    expect(text).toContain("\x1b[?25h")
    expect(text).toContain("\x1b>")
    expect(text).toContain("\x1b[>4m")
    expect(text).toContain("\x1b[m")
    expect(text).toContain("\x1b7\x1b[r\x1b8")
    expect(text).not.toContain("?12")
    expect(text.endsWith("\x1b[?1049l")).toBe(true)
  })

  it("has nothing to restore when the program has done it itself", () => {
    const undone =
      "\x1b[?1006;1002l\x1b[?25h\x1b[?2004l\x1b[?1004l\x1b[m\x1b[r\x1b[?1l\x1b>\x1b[>4m\x1b[?1049l"
    expect(after(vim, undone)).toBe("")
  })

  it("takes colour 0 for a colour", () => {
    expect(after("\x1b[38;5;0m")).toBe("\x1b[m")
  })

  it("restores to what restores nothing more", () => {
    expect(after(vim, after(vim))).toBe("")
    expect(
      after("\x1b(0\x0e\x1b[4h\x1b[?7l\x1b[3 q\x1b[>1u", after("\x1b(0\x0e\x1b[4h\x1b[?7l\x1b[3 q\x1b[>1u")),
    ).toBe("")
  })

  it("is not confused by sequences that are split over pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(vim.length), { maxLength: 6 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), vim.length]
        const pieces = at.slice(1).map((end, index) => vim.slice(at[index], end))
        expect(after(...pieces)).toBe(after(vim))
      }),
    )
  })

  it("takes any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const modes = makeModes()
        modes.scan(bytes)
        modes.restore()
      }),
    )
  })
})
