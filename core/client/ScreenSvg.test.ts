import { describe, expect, it } from "vitest"
import type { Line } from "../protocol/Screen.ts"
import * as ScreenSvg from "./ScreenSvg.ts"

const picture = (spans: Line["spans"], more: Partial<ScreenSvg.Drawn> = {}): ScreenSvg.Drawn => ({
  size: { rows: 2, columns: 10 },
  cursor: { row: 1, column: 3, visible: true, shape: "bar", blinks: false },
  title: "",
  scrollback: 0,
  lines: [{ spans }],
  ...more,
})

/** The elements of one kind, without the background of all. */
const elements = (svg: string, name: "rect" | "text") =>
  [...svg.matchAll(new RegExp(`<${name} [^>]*>`, "g"))].map(([tag]) => tag).filter((tag) => !/%/.test(tag))

describe("ScreenSvg", () => {
  it("has the size of the terminal, and each character at its column", () => {
    const svg = ScreenSvg.toSvg(
      picture([
        { text: "ab " },
        { text: "語", columns: 2 },
        { text: "e\u0301", columns: 1 },
        { text: "🙂", columns: 2 },
        { text: "x" },
      ]),
      { cursor: false },
    )
    expect(svg).toMatch(/^<svg xmlns="[^"]+" width="100" height="50" viewBox="0 0 100 50">\n/)
    expect(svg.match(/ x="[^"]+" y="13" textLength="[^"]+"/g)).toEqual([
      ' x="0" y="13" textLength="25.2"',
      ' x="25.2" y="13" textLength="16.8"',
      ' x="42" y="13" textLength="8.4"',
      ' x="50.4" y="13" textLength="16.8"',
      ' x="67.2" y="13" textLength="8.4"',
    ])
    expect(elements(svg, "rect")).toEqual([])
  })

  it("paints colors of the palette and others, and turns them around", () => {
    const fills = (span: Partial<Line["spans"][number]>) => {
      const svg = ScreenSvg.toSvg(picture([{ text: "x", ...span }]), { cursor: false })
      const fillOf = (name: "rect" | "text") => /fill="([^"]+)"/.exec(elements(svg, name)[0] ?? "")?.[1]
      return [fillOf("text"), fillOf("rect")]
    }
    expect(fills({})).toEqual([undefined, undefined])
    expect(fills({ foreground: 1, background: 12 })).toEqual(["#cd0000", "#5c5cff"])
    expect(fills({ foreground: 16, background: 231 })).toEqual(["#000000", "#ffffff"])
    expect(fills({ foreground: 110, background: 200 })).toEqual(["#87afd7", "#ff00d7"])
    expect(fills({ foreground: 232, background: 255 })).toEqual(["#080808", "#eeeeee"])
    expect(fills({ foreground: "#010203" })).toEqual(["#010203", undefined])
    expect(fills({ inverse: true })).toEqual([ScreenSvg.dark.background, ScreenSvg.dark.foreground])
    expect(fills({ inverse: true, foreground: 1, background: 2 })).toEqual(["#00cd00", "#cd0000"])
    // What a server should never say is no way into the document.
    expect(fills({ foreground: '"/><script>' })).toEqual([undefined, undefined])
    expect(fills({ foreground: 256, background: -1 })).toEqual([undefined, undefined])
  })

  it("has every attribute, and nothing of what is invisible or blank", () => {
    const texts = (span: Partial<Line["spans"][number]>) =>
      elements(ScreenSvg.toSvg(picture([{ text: "x", ...span }]), { cursor: false }), "text").join("")
    expect(texts({ bold: true })).toContain('font-weight="bold"')
    expect(texts({ italic: true })).toContain('font-style="italic"')
    expect(texts({ dim: true })).toContain('opacity="0.6"')
    expect(texts({ underline: true, overline: true, strikethrough: true })).toContain(
      'text-decoration="underline overline line-through"',
    )
    expect(texts({ text: "   ", underline: true })).toContain("underline")
    expect(texts({ text: "   ", background: 1 })).toBe("")
    expect(texts({ invisible: true })).toBe("")
  })

  it("draws the cursor in its shape, below the lines above the screen, unless it is hidden", () => {
    const cursors = (more: Partial<ScreenSvg.Drawn["cursor"]>, scrollback = 0) =>
      elements(
        ScreenSvg.toSvg(
          picture([], { cursor: { ...picture([]).cursor, ...more }, scrollback, lines: [{ spans: [] }] }),
        ),
        "rect",
      ).map((tag) => / x=.* height="[\d.]+"/.exec(tag)?.[0])
    expect(cursors({})).toEqual([' x="25.2" y="17" width="2" height="17"'])
    expect(cursors({ shape: "block" }, 3)).toEqual([' x="25.2" y="68" width="8.4" height="17"'])
    expect(cursors({ shape: "underline" })).toEqual([' x="25.2" y="32" width="8.4" height="2"'])
    expect(cursors({ visible: false })).toEqual([])
  })

  it("is text of XML, whatever characters there are", () => {
    const svg = ScreenSvg.toSvg(picture([{ text: '<&>"\u0007\ud800' }], { title: "</title><script>" }))
    expect(svg).toContain(">&lt;&amp;&gt;&quot;\ufffd\ufffd</text>")
    expect(svg).toContain("<title>&lt;/title&gt;&lt;script&gt;</title>")
  })

  it("has the lines above the screen, and other colors on request", () => {
    const lines = Array.from({ length: 5 }, (_, n) => ({ spans: [{ text: `line ${n}` }] }))
    const svg = ScreenSvg.toSvg(picture([], { lines, scrollback: 3 }), { theme: ScreenSvg.light })
    expect(svg).toContain('height="101"')
    expect(svg).toContain('fill="#ffffff"')
    expect([...svg.matchAll(/>(line \d)</g)].map(([, text]) => text)).toEqual(
      lines.map(({ spans }) => spans[0]?.text),
    )
  })
})
