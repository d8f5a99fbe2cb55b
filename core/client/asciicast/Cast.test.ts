import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { type Header, read, CastWriter } from "./Cast.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const header = (version: 2 | 3, more: Partial<Header> = {}): Header => ({
  version,
  columns: 80,
  rows: 24,
  ...more,
})
const lines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line))

describe("CastWriter", () => {
  it("writes the header of version 2 and of version 3 as the formats have it", () => {
    const all = {
      timestamp: 1_700_000_000,
      title: 'a "title"',
      command: "vim",
      term: "xterm-256color",
      idleTimeLimit: 2,
    }
    expect(lines(new CastWriter(header(2, all)).header)).toEqual([
      {
        version: 2,
        width: 80,
        height: 24,
        timestamp: 1_700_000_000,
        idle_time_limit: 2,
        command: "vim",
        title: 'a "title"',
        env: { TERM: "xterm-256color" },
      },
    ])
    expect(lines(new CastWriter(header(3, all)).header)).toEqual([
      {
        version: 3,
        term: { cols: 80, rows: 24, type: "xterm-256color" },
        timestamp: 1_700_000_000,
        idle_time_limit: 2,
        command: "vim",
        title: 'a "title"',
      },
    ])
    expect(new CastWriter(header(2)).header).toBe('{"version":2,"width":80,"height":24}\n')
  })

  it("has an event for each chunk, at its time since the begin, or since the one before in version 3", () => {
    const written = (version: 2 | 3) => {
      const writer = new CastWriter(header(version))
      return lines(
        writer.output(0, bytes("a")) +
          writer.output(1234, bytes("\u001b[1mb")) +
          writer.resize(1235, { rows: 30, columns: 100 }) +
          writer.marker(2000, "here") +
          writer.end(2001, 130),
      )
    }
    expect(written(2)).toEqual([
      [0, "o", "a"],
      [1.234, "o", "\u001b[1mb"],
      [1.235, "r", "100x30"],
      [2, "m", "here"],
    ])
    expect(written(3)).toEqual([
      [0, "o", "a"],
      [1.234, "o", "\u001b[1mb"],
      [0.001, "r", "100x30"],
      [0.765, "m", "here"],
      [0.001, "x", "130"],
    ])
  })

  it("adds no error up, and never goes back in time", () => {
    const writer = new CastWriter(header(3))
    const times = Array.from({ length: 10_000 }, (_, n) => n * 7 + 0.3)
    const all = lines(times.map((at) => writer.output(at, bytes("x"))).join("")) as Array<[number]>
    expect(Math.round(all.reduce((sum, [time]) => sum + time, 0) * 1000)).toBe(9_999 * 7)
    expect(lines(writer.output(5, bytes("x")))).toEqual([[0, "o", "x"]])
  })

  it("keeps characters whole over chunks, of each stream, and tells the halves at the end", () => {
    const writer = new CastWriter(header(2))
    const [a, b, c] = bytes("語")
    expect(writer.output(1, new Uint8Array([a ?? 0, b ?? 0]), "stdout")).toBe("")
    expect(lines(writer.output(2, new Uint8Array([c ?? 0, 0xff]), "stdout"))).toEqual([
      [0.002, "o", "語\ufffd"],
    ])
    expect(writer.output(3, new Uint8Array([a ?? 0]), "stderr")).toBe("")
    expect(lines(writer.end(4))).toEqual([[0.004, "o", "\ufffd"]])
  })

  it("ends the lines of a pipe as a terminal does, and leaves those of a terminal alone", () => {
    const writer = new CastWriter(header(2))
    const text = (chunk: string, stream?: "stdout") =>
      (lines(writer.output(0, bytes(chunk), stream)) as Array<[number, string, string]>)[0]?.[2]
    expect(text("a\nb\r\n\nc\r", "stdout")).toBe("a\r\nb\r\n\r\nc\r")
    expect(text("\n\n", "stdout")).toBe("\n\r\n")
    expect(text("a\nb\r\n")).toBe("a\nb\r\n")
  })
})

describe("read", () => {
  it.each([2, 3] as const)("reads what was written in version %i, exact to the chunk", (version) => {
    const full = header(version, {
      timestamp: 5,
      title: "t",
      command: "c",
      term: "xterm",
      idleTimeLimit: 1.5,
    })
    const writer = new CastWriter(full)
    const chunks = Array.from({ length: 500 }, (_, n) => ({
      at: ((n * n) % 977) + n * 1000,
      text: `${n}\u001b[3${n % 8}m語🙂\u0000\r\n"\\`,
    }))
    const text =
      writer.header +
      chunks.map(({ at, text }) => writer.output(at, bytes(text))).join("") +
      writer.resize(600_000, { rows: 5, columns: 6 }) +
      writer.marker(600_000, "m") +
      writer.end(600_001, 3)
    const cast = Result.getOrThrow(read(text))
    expect(cast.header).toEqual(full)
    expect(cast.events.slice(0, 500)).toEqual(chunks.map((chunk) => ({ kind: "output", ...chunk })))
    expect(cast.events.slice(500)).toEqual([
      { kind: "resize", at: 600_000, rows: 5, columns: 6 },
      { kind: "marker", at: 600_000, text: "m" },
      ...(version === 2 ? [] : [{ kind: "exit", at: 600_001, code: 3 }]),
    ])
  })

  it("reads the examples of the formats: comments, unknown members and events, fractions of milliseconds", () => {
    const v3 = [
      '{"version": 3, "term": {"cols": 80, "rows": 24, "type": "xterm", "theme": {"fg": "#000"}}, "tags": ["x"]}',
      "# a comment",
      '[0.248848, "o", "\\u001b[1;31mHello"]',
      '[1.001376, "o", "That was ok\\r\\n"]',
      '[0.143733, "m", ""]',
      '[1.050000, "r", "80x24"]',
      '[0, "z", "later"]',
      '[1.541828, "x", "0"]',
      "",
    ].join("\n")
    expect(Result.getOrThrow(read(v3)).events).toEqual([
      { kind: "output", at: 249, text: "\u001b[1;31mHello" },
      { kind: "output", at: 1250, text: "That was ok\r\n" },
      { kind: "marker", at: 1394, text: "" },
      { kind: "resize", at: 2444, columns: 80, rows: 24 },
      { kind: "exit", at: 3986, code: 0 },
    ])
    const v2 = '{"version": 2, "width": 80, "height": 24}\n[0.5, "i", "ls\\r"]\n[1, "o", "cut he'
    expect(Result.getOrThrow(read(v2)).events).toEqual([{ kind: "input", at: 500, text: "ls\r" }])
  })

  it.each([
    ["", "Header", 1],
    ["hello\n", "Header", 1],
    ["[1]\n", "Header", 1],
    ['# a\n{"version": 2}\n', "Header", 2],
    ['{"version": 2, "width": 0, "height": 24}\n', "Header", 1],
    ['{"version": 1, "width": 80, "height": 24, "stdout": []}\n', "Version", 1],
    ['{"version": 3, "term": {"cols": 80, "rows": 24}}\n[1, "o"]\n[1, "o", "x"]\n', "Event", 2],
    ['{"version": 3, "term": {"cols": 80, "rows": 24}}\n[-1, "o", ""]\n', "Event", 2],
  ])("refuses %j: %s in line %i", (text, reason, line) => {
    expect(Result.getFailure(read(text))).toMatchObject({ value: { _tag: "CastError", reason, line } })
  })
})
