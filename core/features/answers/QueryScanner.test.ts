import { describe, expect, it } from "vitest"
import { utf8 } from "../../protocol/Bytes.ts"
import { type Query, QueryScanner } from "./Answers.ts"

/** The questions in a text that comes in pieces of so many bytes. */
const scan = (text: string, size = Infinity) => {
  const scanner = new QueryScanner()
  const bytes = utf8.encode(text)
  const found: Array<Query> = []
  for (let from = 0; from < bytes.length; from += size) {
    scanner.read(bytes.subarray(from, from + size), (query) => found.push(query))
  }
  return found
}

describe("QueryScanner", () => {
  it("finds what programs ask, between other output", () => {
    expect(scan("a\x1b[cb\x1b[0cé\x1b[5n\x1b[6n\r\n\x1b[00c\x1b[06n")).toEqual([
      "attributes",
      "attributes",
      "status",
      "cursor",
      "attributes",
      "cursor",
    ])
  })

  it("finds the same however the output is cut", () => {
    const text = "$ \x1b[6n\x1b[31mé\x1b[0c\x1b]0;title\x07\x1b[5n"
    for (let size = 1; size < 30; size++) expect(scan(text, size), `pieces of ${size}`).toEqual(scan(text))
  })

  it("finds nothing in other sequences, and what follows them", () => {
    for (const other of [
      "\x1b[1c",
      "\x1b[?6n",
      "\x1b[>c",
      "\x1b[=0c",
      "\x1b[?1;2c",
      "\x1b[1;1R",
      "\x1b[0n",
      "\x1b[n",
      "\x1b[66n",
      "\x1b[5;6n",
      "\x1b[6 n",
      "\x1b[:6n",
      "\x1bc",
      "\x1b(c",
      "[6n",
      "\x1b[6\x18n",
      "\x1b[6\x1an",
      "\x1b[60000000000000000000006n",
    ]) {
      expect(scan(other), JSON.stringify(other)).toEqual([])
      expect(scan(`${other}\x1b[c`), JSON.stringify(other)).toEqual(["attributes"])
    }
  })

  it("begins anew with each ESC, and goes on behind other control characters, as terminals do", () => {
    expect(scan("\x1b[6\x1b[c")).toEqual(["attributes"])
    expect(scan("\x1b\x1b[c")).toEqual(["attributes"])
    expect(scan("\x1b[\r6\nn")).toEqual(["cursor"])
  })
})
