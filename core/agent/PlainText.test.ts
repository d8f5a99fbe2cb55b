/** Tests the text without what only a terminal understands. */
import { describe, expect, it } from "vitest"
import { utf8 } from "../protocol/Bytes.ts"
import { HeadTailBuffer } from "./HeadTailBuffer.ts"
import * as PlainText from "./PlainText.ts"

const red = "\u001b[31m"
const reset = "\u001b[0m"

describe("A plain text", () => {
  it.each([
    ["without control characters is the same", "a\tb\n\nc", "a\tb\n\nc"],
    ["has no colors", `${red}error${reset}: x`, "error: x"],
    ["has no colors of other forms", "\u001b[38;2;1;2;3ma\u001b[48:5:7mb\u001b[?25lc", "abc"],
    ["has no title, however it ends", "\u001b]0;title\u0007a\u001b]2;more\u001b\\b", "ab"],
    ["keeps the text of a link", "\u001b]8;;https://x.y/?a=b\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["has no other strings", "\u001bPq#0;2\u001b\\a\u001b_G1\u001b\\b\u001b^c\u001b\\", "ab"],
    ["has no short sequences", "\u001b7a\u001b8\u001b=b\u001b(Bc\u001bMd", "abcd"],
    ["has no begin of a sequence at its end", "a\u001b[3", "a"],
    ["has no begin of a title at its end", "a\u001b]0;tit", "a"],
    ["has no escape at its end", "a\u001b", "a"],
    ["has no bells and zeros", "a\u0007b\u0000c", "abc"],
    ["ends lines as they end", "a\r\nb\r\r\nc\n", "a\nb\nc\n"],
    ["has the last state of a line", " 10%\r 50%\r100%\n", "100%\n"],
    ["has the rest of a longer state", "abcdef\rxy\n", "xycdef\n"],
    ["has no state that a carriage return ends", "50%\r", "50%"],
    ["has what erasing leaves", "downloading\r\u001b[Kdone\nabc\r\u001b[2Kx\n", "done\nx\n"],
    ["takes back what backspaces go over", "abc\b\bX\n|\b/\b-\b\\\n", "aXc\n\\\n"],
    ["goes back no further than to the begin of its line", "a\n\b\b\bb", "a\nb"],
    ["counts two columns for a wide character", "日本語\rab\n", "ab本語\n"],
    ["has no half of a wide character", "日本\ra\n", "a 本\n"],
    ["has no half of a wide character in front of the new text", "ab日\rabc\n", "abc\n"],
    ["counts two columns for an emoji", "🚀x\rab\n", "abx\n"],
    ["counts no column for what is joined to a character", "e\u0301x\rab\n", "ab\n"],
  ])("%s", (_, raw, plain) => {
    expect(PlainText.of(raw)).toBe(plain)
  })

  it.each([
    "a\u001b[31mb\u001b[0mc\u001b]0;title\u0007d\u001b]2;more\u001b\\e\u001b(Bf\r\ng\u001bMh",
    "日\u001b[1m本\u001b[22m\r\n",
  ])("is the same however its bytes were split: %j", (raw) => {
    const bytes = utf8.encode(raw)
    for (let at = 0; at <= bytes.length; at += 1) {
      const buffer = new HeadTailBuffer()
      buffer.push(bytes.subarray(0, at))
      const first = PlainText.taken(buffer.take(false, "plain"), "plain")
      buffer.push(bytes.subarray(at))
      const second = PlainText.taken(buffer.take(true, "plain"), "plain")
      expect([at, (first.head + second.head).replaceAll("\r", "")]).toEqual([at, PlainText.of(raw)])
      expect(first.total + second.total).toBe(bytes.length)
    }
  })

  it("does not wait for the end of a sequence for ever", () => {
    const buffer = new HeadTailBuffer()
    buffer.push(utf8.encode(`a\u001b]0;${"x".repeat(10_000)}`))
    expect(buffer.take(false, "plain").total).toBe(10_005)
  })
})

describe("A place in the plain text", () => {
  const raw = `${red}one${reset}\nsame\r\n1\r2\r3\nlast`
  const plain = PlainText.of(raw)

  it("is found in the raw text: exactly in a line that was not changed, and else at its begin or end", () => {
    expect(plain).toBe("one\nsame\n3\nlast")
    const begin = (length: number) => PlainText.rawBegin(raw, plain, length)
    expect(begin(2)).toBe("")
    expect(begin(4)).toBe(`${red}one${reset}\n`)
    expect(begin(6)).toBe(`${red}one${reset}\nsa`)
    expect(begin(13)).toBe(`${red}one${reset}\nsame\r\n1\r2\r3\nla`)
    expect(begin(plain.length)).toBe(raw)
    const end = (from: number) => PlainText.rawEnd(raw, plain, from)
    expect(end(0)).toBe(raw)
    expect(end(1)).toBe("same\r\n1\r2\r3\nlast")
    expect(end(6)).toBe("me\r\n1\r2\r3\nlast")
    expect(end(9)).toBe("1\r2\r3\nlast")
    expect(end(10)).toBe("last")
    expect(end(13)).toBe("st")
  })
})
