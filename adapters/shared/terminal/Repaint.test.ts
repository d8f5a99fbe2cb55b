/** Compares a picture from a snapshot, in a second terminal, with the first one, cell by cell. */
import { describe, expect, it } from "vitest"
import { toAnsi } from "../../../core/features/screen/Picture.ts"
import * as Picture from "../../../core/features/screen/Picture.ts"
import { everything, open, repainted } from "./testing/Compare.ts"
import { pieces } from "./testing/Script.ts"

/** The pieces of which a picture is compared. */
const step = 100

describe("a picture as ANSI", () => {
  it.each(Array.from({ length: 50 }, (_, seed) => [seed]))(
    "paints the same again: output %i",
    async (seed) => {
      const [rows, columns] = [[6, 20] as const, [24, 80] as const, [2, 5] as const][seed % 3] ?? [6, 20]
      const first = open(rows, columns)
      const written = pieces(seed, 5 * step, rows, columns)
      for (let at = 0; at < written.length; at += step) {
        await first.write(written.slice(at, at + step).join(""))
        const second = await repainted(first)
        expect(everything(second), `after ${at + step} pieces`).toEqual(everything(first))
        second.terminal.dispose()
      }
      first.terminal.dispose()
    },
  )

  it.each([
    ["true color and attributes", "\x1b[1;3;4;38;2;1;2;3;48;2;250;251;252mstyled\x1b[m plain"],
    ["wide and combining characters", "日本語 e\u0301\u0302 🙂|\r\n" + "語".repeat(15)],
    ["a line that is too long", "x".repeat(45)],
    ["a wide character that finds no room", `${"x".repeat(19)}語`],
    ["the cursor behind the last column", "x".repeat(20)],
    ["a wide one before it", `\x1b[31m${"x".repeat(18)}語`],
    ["a colored background where nothing is written", "\x1b[44m\x1b[2J\x1b[3;3Hx"],
    ["lines above the screen", Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\r\n")],
    ["the alternate screen over the other", "below\x1b[?1049h\x1b[2;4Habove\x1b]2;a title\x07"],
    ["margins, with rows counted from them", "\x1b[2;4r\x1b[?6h\x1b[2;5Hx"],
    ["a hidden cursor, and its shape", "\x1b[5 q\x1b[?25l"],
    ["modes that a program has set", "\x1b[?1h\x1b[?2004h\x1b[?1003h\x1b[?1004h\x1b[4h\x1b[?7l"],
    ["how clicks are told", "\x1b[?1000;1015;1006h"],
    ["clicks that are told as usual again", "\x1b[?1000;1006h\x1b[?1006l"],
  ])("paints %s", async (_, text) => {
    const first = open(6, 20)
    await first.write(text)
    const second = await repainted(first)
    expect(everything(second)).toEqual(everything(first))
    // Later output looks and goes on as it would have.
    await Promise.all(
      [first, second].map(({ write }) => write("\x1b[7mnext, and more than a line\r\n\n\n\n.")),
    )
    expect(everything(second)).toEqual(everything(first))
  })

  it("paints over what a terminal was left with", async () => {
    const [first, second] = [open(6, 20), open(6, 20)]
    await first.write("plain")
    const modes = "\x1b[?1;6;45;1003;1004;1006;2004h\x1b[?7;25l\x1b[4h\x1b="
    await second.write(
      `below\x1b[2;4r\x1b[?1049habove\x1b[2;4r${modes}\x1b(0\x1b[31;1m\x1b[5 q\x1b]2;old\x07`,
    )
    await second.write(toAnsi(first.terminal.snapshot(0)))
    await Promise.all([first, second].map(({ write }) => write("x, and more than a line\r\n\n\n\n.")))
    expect(everything(second)).toEqual(everything(first))
  })

  it("goes on in the look that was set last", async () => {
    const first = open(6, 20)
    await first.write("\x1b[31;1m\x1b[48;5;9mred\x1b[0;3m\x1b[38;2;1;2;3m")
    const second = await repainted(first)
    await Promise.all([first, second].map(({ write }) => write("more")))
    expect(everything(second)).toEqual(everything(first))
  })

  it("is the same as text and as lines, with blanks where nothing was written", async () => {
    const first = open(3, 20)
    await first.write("a\x1b[31mb\x1b[m語e\u0301\x1b[2Cx")
    const picture = Picture.from(first.terminal.snapshot(0), { seq: 1, fromSeq: 1 }, ["text", "lines"])
    expect(picture.text).toBe("ab語e\u0301  x")
    expect(picture.lines).toEqual([
      {
        spans: [
          { text: "a" },
          { text: "b", foreground: 1 },
          { text: "語", columns: 2 },
          { text: "e\u0301", columns: 1 },
          { text: "  " },
          { text: "x" },
        ],
      },
      { spans: [] },
      { spans: [] },
    ])
  })

  it("keeps a bounded title and no links, and tells of characters that pile up in a cell", async () => {
    const { terminal, write } = open(3, 20)
    await write(`\x1b]2;${"t".repeat(100_000)}\x07\x1b]8;;http://localhost/\x1b\\link\x1b]8;;\x1b\\`)
    expect(terminal.snapshot(0).title).toHaveLength(1024)
    expect(terminal.excess()).toBe(0)
    await write(`e${"\u0301".repeat(5000)}`)
    expect(terminal.excess()).toBeGreaterThan(4900)
  })
})
