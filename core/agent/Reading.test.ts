/** Tests Reading.ts and Rest.ts. */
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { utf8 } from "../protocol/Bytes.ts"
import * as Reading from "./Reading.ts"
import type { ReadOutput } from "./Tools.ts"
import { Transcript } from "./Transcript.ts"

const of = (text: string, most = Infinity) => {
  const transcript = new Transcript(most)
  transcript.push(utf8.encode(text))
  return transcript
}

const read = (transcript: Transcript, args: Omit<ReadOutput, "session_id">, budget = 1_000) =>
  Result.getOrThrow(Reading.read(transcript, { session_id: 7, ...args }, budget))

/** Makes the calls that the parts name, to the last one. */
const followed = (transcript: Transcript, args: Omit<ReadOutput, "session_id">, budget: number) => {
  const parts = [read(transcript, args, budget)]
  for (let call = parts[0]?.rest?.call; call !== undefined; call = parts.at(-1)?.rest?.call) {
    expect(call.arguments).toMatchObject({ session_id: 7 })
    parts.push(read(transcript, call.arguments, budget))
  }
  return parts
}

const plain = (transcript: Transcript, args: Omit<ReadOutput, "session_id">, budget = 1_000) =>
  Result.getOrThrow(Reading.read(transcript, { session_id: 7, ...args }, budget, "plain"))

const numbers = Array.from({ length: 500 }, (_, index) => `${index + 1}\n`).join("")

describe("Reading the plain form", () => {
  const colored = Array.from(
    { length: 500 },
    (_, at) => `\u001b[32m${at + 1}\u001b[0m: 0%\r${at + 1}: 99%\r\n`,
  ).join("")
  const lines = Array.from({ length: 500 }, (_, at) => `${at + 1}: 99%\n`).join("")

  it("counts the bytes that were printed, and loses no line between a part and the call for the rest", () => {
    const transcript = of(colored)
    expect(plain(transcript, { from_line: 2, to_line: 2 })).toMatchObject({
      text: "2: 99%\n",
      excerpt: { fromByte: 23, toByte: 46, fromLine: 2, toLine: 2, bytes: colored.length },
    })
    for (const first of [{}, { tail: 500 }]) {
      const parts = [plain(transcript, first)]
      for (let call = parts[0]?.rest?.call; call !== undefined; call = parts.at(-1)?.rest?.call) {
        parts.push(plain(transcript, call.arguments))
      }
      expect(parts.length).toBeGreaterThan(3)
      expect(parts.length).toBeLessThan(8)
      const texts = parts.map(({ text }) => text)
      if ("tail" in first) texts.push(texts.shift() ?? "")
      expect(texts.join("")).toBe(lines)
    }
  })

  it("reads on behind the bytes of a line that does not fit, and splits no sequence", () => {
    const long = "\u001b[31mx\u001b[0m".repeat(3_000)
    const transcript = of(long)
    const parts = [plain(transcript, {}, 100)]
    for (let call = parts[0]?.rest?.call; call !== undefined; call = parts.at(-1)?.rest?.call) {
      parts.push(plain(transcript, call.arguments, 100))
    }
    expect(parts.map(({ text }) => text).join("")).toBe("x".repeat(3_000))
  })

  it("shows a progress bar of many bytes as its last state", () => {
    const bar = Array.from({ length: 400 }, (_, at) => `\r${"#".repeat(at % 40)} ${at}`).join("")
    expect(plain(of(`${bar}\ndone\n`), {}).text).toBe(`${"#".repeat(39)} 399\ndone\n`)
  })

  it("finds text through colors, and shows what is around it in a line of a mebibyte", () => {
    const line = `${"y".repeat(2 ** 19)} \u001b[31merror\u001b[0m: x ${"z".repeat(2 ** 19)}`
    const found = plain(of(`first\n${line}\nlast\n`), { grep: "error: x" }, 40_000)
    expect(found.excerpt.matches).toBe(1)
    expect(found.text).toMatch(/^2:…y+ error: x z+… \(all of it: read_output \{.*\}\)\n$/)
    expect(found.text.length).toBeLessThan(600)
  })
})

describe("Reading", () => {
  it("returns lines and bytes, and says where they lie", () => {
    const transcript = of(numbers)
    expect(read(transcript, { from_line: 10, to_line: 12 })).toEqual({
      excerpt: { sessionId: 7, fromByte: 18, toByte: 27, fromLine: 10, toLine: 12, bytes: 1892, lines: 500 },
      text: "10\n11\n12\n",
    })
    expect(read(transcript, { tail: 2 }).text).toBe("499\n500\n")
    expect(read(transcript, { tail: 1_000 }, 2_000).text).toBe(numbers)
    expect(read(transcript, { from_byte: 1, to_byte: 5 }).text).toBe("\n2\n3")
    expect(read(transcript, { from_line: 501 }).text).toBe("")
    expect(read(transcript, { from_line: 9_999 })).toMatchObject({ text: "" })
    expect(read(of("a\nb"), { tail: 1 }).text).toBe("b")
    expect(read(of(""), {})).toMatchObject({ text: "", excerpt: { bytes: 0, lines: 0 } })
  })

  it("names the call that gets the rest, and that call gets it: nothing is missing, nothing comes twice", () => {
    const transcript = of(numbers)
    const parts = followed(transcript, {}, 100)
    expect(parts.length).toBeGreaterThan(15)
    expect(parts.map(({ text }) => text).join("")).toBe(numbers)
    expect(parts.every(({ text }) => text.endsWith("\n"))).toBe(true)
    const first = parts[0]?.rest ?? {}
    expect(Reading.restText(first)).toBe(
      'The output above is cut. To get the rest, call read_output {"session_id":7,"from_byte":99,"to_byte":1892}',
    )
    const long = of(`${"é".repeat(400)}\nend\n`)
    const pieces = followed(long, {}, 51)
    expect(pieces.map(({ text }) => text).join("")).toBe(`${"é".repeat(400)}\nend\n`)
    const [last, ...before] = followed(transcript, { tail: 100 }, 100)
    expect(last?.text).toMatch(/^\d+\n[^]*\n500\n$/)
    expect(before.map(({ text }) => text).join("") + last?.text).toBe(
      numbers.slice(numbers.indexOf("\n401\n") + 1),
    )
  })

  it("keeps the budget of the call in the next one", () => {
    const { rest } = read(of(numbers), { max_output_tokens: 25 }, 100)
    expect(rest?.call?.arguments).toMatchObject({ max_output_tokens: 25 })
  })

  it("says what is not kept any more", () => {
    const transcript = of(numbers.repeat(100), 70_000)
    const { begin, written } = transcript
    const part = read(transcript, { from_line: 1 }, written)
    expect(part.rest).toEqual({ lost: { from: 0, to: begin } })
    expect(Reading.restText(part.rest ?? {})).toBe(`Bytes 0 to ${begin} of the output are not kept any more.`)
    expect(part.text).toBe(numbers.repeat(100).slice(begin))
    expect(Reading.ofBytes(7, { from: 0, to: begin }, begin)).toEqual({ lost: { from: 0, to: begin } })
  })
})

describe("Grep", () => {
  it("returns the lines that match, with numbers and context", () => {
    const transcript = of("one\ntwo\r\nthree\nfour\nfive\nsix\nseven\n")
    expect(read(transcript, { grep: "^t" })).toEqual({
      excerpt: expect.objectContaining({ matches: 2, fromLine: 1, toLine: 7, lines: 7 }),
      text: "2:two\n3:three\n",
    })
    expect(read(transcript, { grep: "o$" }).text).toBe("2:two\n")
    expect(read(transcript, { grep: "SIX|ONE", ignore_case: true, context: 1 }).text).toBe(
      "1:one\n2-two\n--\n5-five\n6:six\n7-seven\n",
    )
    expect(read(transcript, { grep: "e", from_line: 4 }).text).toBe("5:five\n7:seven\n")
    expect(read(transcript, { grep: "nothing" })).toMatchObject({ text: "", excerpt: { matches: 0 } })
    expect(Reading.read(transcript, { session_id: 7, grep: "(" }, 10)).toMatchObject({
      failure: expect.stringContaining("grep: pattern"),
    })
  })

  it("names the call that finds the next matches", () => {
    const parts = followed(of(numbers), { grep: "9", context: 0 }, 60)
    const expected = numbers.split("\n").filter((line) => line.includes("9"))
    expect(parts.length).toBeGreaterThan(5)
    expect(parts.flatMap(({ text }) => text.trim().split("\n"))).toEqual(
      expected.map((line) => `${line}:${line}`),
    )
  })

  it("shows the beginning of a long line, with the call that gets all of it", () => {
    const transcript = of(`short\n${"y".repeat(1_000)} needle\n`)
    const { text } = read(transcript, { grep: "needle" })
    expect(text.length).toBeLessThan(550)
    const [, call = ""] = /all of it: read_output (\{.*\})\)/.exec(text) ?? []
    expect(read(transcript, JSON.parse(call), 2_000).text).toBe(`${"y".repeat(1_000)} needle`)
  })

  it("is done with a pattern that makes others backtrack", () => {
    const transcript = of(`${"a".repeat(1_000_000)}b\n`)
    expect(read(transcript, { grep: "(a+)+$" }).excerpt.matches).toBe(0)
  })
})

describe("A search", () => {
  it("finds text through colors, and shows it without them", () => {
    const colored = of("one\n\u001b[1;31mer\u001b[0mror: \u001b[4mfile\u001b[0m.c\nend\n")
    expect(read(colored, { grep: "^error: file" })).toMatchObject({
      text: "2:error: file.c\n",
      excerpt: { matches: 1 },
    })
  })

  it("shows what is around the match in a huge line, and the call that gets all of it", () => {
    const huge = of(`first\n${"€a".repeat(50_000)}needle${"b".repeat(50_000)}\n`)
    const { text } = read(huge, { grep: "needle" })
    expect(text).toMatch(
      /^2:….*€aneedleb+… \(all of it: read_output \{.*"from_byte":6,"to_byte":250012\}\)\n$/,
    )
    expect(text.length).toBeLessThan(600)
    expect(read(huge, { grep: "b$" }).text).toMatch(/^2:…b{380,400} \(all of it: /)
  })
})
