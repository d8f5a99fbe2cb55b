import { describe, expect, it } from "vitest"
import { utf8 } from "../../protocol/Bytes.ts"
import { longest, MarkScanner } from "./Marks.ts"

/** The marks in a text that comes in pieces of so many bytes, each with the text in front of its end. */
const scan = (text: string, size = Infinity) => {
  const scanner = new MarkScanner()
  const bytes = utf8.encode(text)
  const found: Array<readonly [end: number, kind: string, exitCode: number | null, cwd: string | null]> = []
  for (let from = 0; from < bytes.length; from += size) {
    const piece = bytes.subarray(from, from + size)
    scanner.read(piece, (end, { kind, exitCode, cwd }) => found.push([from + end, kind, exitCode, cwd]))
  }
  return found
}
const kinds = (text: string) => scan(text).map(([, kind]) => kind)

const session =
  "\x1b]633;P;Cwd=/a\\x3bb\\\\c\x07\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07é\r\n\x1b]133;D;7\x1b\\"

describe("MarkScanner", () => {
  it("finds prompts, commands and their ends, with exit codes and the directory", () => {
    const cwd = "/a;b\\c"
    const after = (part: string) => utf8.encode(session.slice(0, session.indexOf(part) + part.length)).length
    expect(scan(session)).toEqual([
      [after("133;A\x07"), "promptStart", null, cwd],
      [after("133;C\x07"), "commandStart", null, cwd],
      [utf8.encode(session).length, "commandEnd", 7, cwd],
    ])
  })

  it("finds the same however the output is cut", () => {
    for (let size = 1; size < 40; size++)
      expect(scan(session, size), `pieces of ${size}`).toEqual(scan(session))
  })

  it("takes what the families have beside the kinds", () => {
    expect(scan("\x1b]633;D\x07\x1b]133;D;x\x07\x1b]133;D;-1;aid=2\x07\x1b]133;A;cl=m;aid=3\x07")).toEqual([
      [8, "commandEnd", null, null],
      [18, "commandEnd", null, null],
      [35, "commandEnd", -1, null],
      [54, "promptStart", null, null],
    ])
    expect(
      kinds("\x1b]633;E;ls -la\x07\x1b]133;P;Cwd=/x\x07\x1b]133;Z\x07\x1b]133;\x07\x1b]133\x07"),
    ).toEqual([])
  })

  it("finds nothing in other sequences, and all that follows them", () => {
    const mark = "\x1b]133;A\x07"
    for (const other of [
      "\x1b]0;title\x07",
      "\x1b[31m",
      "\x1b]8;;http://x/\x1b\\",
      "\x1b]1337;File=x\x07",
      "\x1b\x1b",
      "\x1b]133;D;1\x18",
      "\x1b]133;D;1",
      "\x1b]133;D;1\x1b[m",
      `\x1b]133;${"x".repeat(longest)}\x07`,
      "\x1b",
    ])
      expect(kinds(`${other}${mark}`), JSON.stringify(other.slice(0, 20))).toEqual(["promptStart"])
  })

  it("keeps no more of a sequence than its bound", () => {
    expect(kinds(`\x1b]133;A;${"x".repeat(longest - 6)}\x07`)).toEqual(["promptStart"])
    expect(kinds(`\x1b]133;A;${"x".repeat(longest - 5)}\x07`)).toEqual([])
  })
})
