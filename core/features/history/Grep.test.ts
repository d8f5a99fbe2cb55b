// Grep: lines with a match in a history, against what a program would find that has all lines in memory.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as Pattern from "../../pattern/Pattern.ts"
import { effect } from "../../testing/Effects.ts"
import * as Grep from "./Grep.ts"
import * as MemoryFiles from "./MemoryFiles.ts"
import type * as Reading from "./Reading.ts"
import { Batch, toPool } from "./Batch.ts"
import { Budget } from "./Budget.ts"
import { Segments } from "./Segments.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const compile = (pattern: string, flags = "") => Result.getOrThrow(Pattern.compile(pattern, `${flags}m`))

/** A history that has this text, in chunks of that size. */
const of = (text: string, size = 1000) =>
  Effect.gen(function* () {
    const folder = yield* MemoryFiles.make({ beforeWrite: Effect.void }).make
    const segments = new Segments(folder, 8 * 1024 * 1024, new Budget(Infinity))
    const all = encode(text)
    const batch = new Batch(Infinity, toPool())
    let line = 0
    for (let at = 0, seq = 1; at < all.length; at += size, seq++) {
      const bytes = all.subarray(at, at + size)
      line += batch.add({ kind: "output", seq, stream: "stdout", bytes }, at, line, seq)
      if (batch.size > 500_000 || at + size >= all.length) {
        yield* segments.append(batch)
        batch.clear()
      }
    }
    const source: Reading.Source = { folder, kept: segments.list, end: { byte: all.length, line } }
    return source
  })

const everything = { from: 0, to: Infinity, before: 0, after: 0, maxMatches: 1000, isOver: true }

const find = (source: Reading.Source, pattern: Pattern.Pattern, more: Partial<Grep.Search> = {}) =>
  Grep.search(source, { ...everything, pattern, ...more }, MemoryFiles.make().indexOf)

const lines = (page: Grep.Page) => page.matches.map(({ line, text }) => `${line}:${text}`)

describe("Grep", () => {
  const text = ["one", "", "two three", "ONE", "a.b", "axb", "tëxt", "x".repeat(5000), "last one"].join("\n")

  it.each([
    ["one", "", ["1:one", "9:last one"]],
    ["one", "i", ["1:one", "4:ONE", "9:last one"]],
    ["^one$", "", ["1:one"]],
    ["^$", "", ["2:"]],
    ["a.b", "", ["5:a.b", "6:axb"]],
    ["a.b", "l", ["5:a.b"]],
    ["t(wo|hree)$", "", ["3:two three"]],
    ["\\bone", "", ["1:one", "9:last one"]],
    ["[ëé]x", "", ["7:tëxt"]],
    ["^x{900}", "", [`8:${"x".repeat(4096)}`]],
    ["one\\n", "", []],
    ["two\\s+ONE", "", []],
    ["e\\n?$", "", ["1:one", "3:two three", "9:last one"]],
    ["nothing", "", []],
  ] as const)("finds %s with flags '%s' in lines, however they lie in chunks", (pattern, flags, wanted) =>
    effect(function* () {
      for (const size of [1, 3, 1000, 100_000]) {
        const page = yield* find(yield* of(text, size), compile(pattern, flags))
        expect(lines(page)).toEqual(wanted)
        expect([page.complete, page.nextByte]).toEqual([true, encode(text).length])
      }
    })(),
  )

  it.each([1000, 70_001])("tells the line and the chunk of each match, in chunks of %i bytes", (size) =>
    effect(function* () {
      const texts = Array.from({ length: 6000 }, (_, index) => {
        const isMatch = index < 1000 || index % 997 === 0
        return isMatch ? `match ${index}` : "-".repeat(100 + (index % 50))
      })
      const page = yield* find(yield* of(texts.join("\n"), size), compile("match"), { maxMatches: 2000 })
      let byte = 0
      const wanted = texts.flatMap((text, index) => {
        const at = byte
        byte += text.length + 1
        const seq = Math.floor(at / size) + 1
        return text.startsWith("match") ? [{ line: index + 1, byte: at, seq, text }] : []
      })
      expect(page.matches.map(({ line, byte, seq, text }) => ({ line, byte, seq, text }))).toEqual(wanted)
    })(),
  )

  it(
    "has no match that was dropped since it was found",
    effect(function* () {
      const source = yield* of(`${"match\n".repeat(1_500_000)}last match`, 10_000)
      const kept = source.kept.slice(1)
      const [first] = kept
      const begin = first?.first.byte ?? 0
      expect(begin).toBeGreaterThan(0)
      const search = yield* Effect.forkChild(
        find(source, compile("match"), { from: begin - 18, maxMatches: 6 }),
      )
      yield* Effect.yieldNow
      Object.assign(source, { kept })
      const { matches } = yield* Fiber.join(search)
      expect(matches.map(({ byte }) => byte)).toEqual([begin, begin + 6, begin + 12])
    }),
  )

  it(
    "finds every line over blocks and segments, with its seq, its number and its byte",
    effect(function* () {
      const all = Array.from(
        { length: 40_000 },
        (_, n) => `${n} ${"z".repeat(n % 97)}${n % 1000 === 7 ? " hit" : ""}`,
      )
      const text = `${all.join("\n")}\n`
      const source = yield* of(text, 777)
      expect(source.kept.length).toBeGreaterThan(1)
      const wanted = all.flatMap((line, n) => {
        if (!line.endsWith("hit")) return []
        const byte = all.slice(0, n).reduce((sum, { length }) => sum + length + 1, 0)
        return [{ line: n + 1, byte, seq: Math.floor(byte / 777) + 1, text: line, before: [], after: [] }]
      })
      for (const pattern of ["hit", "[h]it$", "(?:h|H)i[t]"]) {
        expect((yield* find(source, compile(pattern))).matches).toEqual(wanted)
      }
      let from = 0
      const paged: Array<Grep.Found> = []
      for (;;) {
        const page = yield* find(source, compile("hit"), { from, maxMatches: 7 })
        paged.push(...page.matches)
        from = page.nextByte
        if (page.complete) break
        expect(page.matches.length).toBe(7)
      }
      expect(paged).toEqual(wanted)
      expect(from).toBe(text.length)
    }),
  )

  it(
    "gives the lines around a match, also over blocks and over other matches",
    effect(function* () {
      const all = Array.from({ length: 30_000 }, (_, n) => `line ${n} ${"-".repeat(n % 50)}`)
      const source = yield* of(`${all.join("\n")}\n`)
      const { matches } = yield* find(source, compile("line \\d*[05][01] "), { before: 3, after: 2 })
      const wanted = all.flatMap((_, n) => ([0, 1, 50, 51].includes(n % 100) && n > 9 ? [n] : []))
      expect(matches.map(({ line }) => line - 1)).toEqual(wanted.slice(0, 1000))
      for (const [at, n] of wanted.slice(0, 1000).entries()) {
        expect(matches[at]?.before).toEqual(all.slice(Math.max(0, n - 3), n))
        expect(matches[at]?.after).toEqual(all.slice(n + 1, n + 3))
      }
      const page = yield* find(source, compile("line 5000 "), { after: 20_000, maxMatches: 1 })
      expect(page.matches[0]?.after.length).toBe(20_000)
      expect(page.complete).toBe(false)
    }),
  )

  it(
    "takes lines that are longer than its memory, and counts a last line without an end when all is over",
    effect(function* () {
      const long = `${"y".repeat(3 * Grep.mostLineBytes)}needle`
      const text = `first\n${long}\nneedle\n${long}`
      const source = yield* of(text, 60_000)
      for (const pattern of ["needle", "needle$", "y+n[e]+d"]) {
        const page = yield* find(source, compile(pattern), { before: 1 })
        const wanted = pattern.startsWith("y") ? [2, 4] : [2, 3, 4]
        expect(page.matches.map(({ line }) => line)).toEqual(wanted)
        expect(page.matches[0]?.before).toEqual(["first"])
        expect(page.matches[0]?.text.length).toBe(4096)
      }
      const running = yield* find(source, compile("needle"), { isOver: false })
      expect(running.matches.map(({ line }) => line)).toEqual([2, 3])
      expect(running.nextByte).toBe(text.length - long.length)
      const after = yield* find(source, compile("first"), { after: 2 })
      expect(after.matches[0]?.after.map(({ length }) => length)).toEqual([4096, 6])
    }),
  )

  it(
    "looks at no line that begins at its end or behind",
    effect(function* () {
      const source = yield* of("aa\nab\nac\n")
      expect(lines(yield* find(source, compile("a"), { to: 6 }))).toEqual(["1:aa", "2:ab"])
      expect(lines(yield* find(source, compile("a"), { from: 3, to: 6 }))).toEqual(["2:ab"])
      expect(lines(yield* find(source, compile("a"), { from: 6 }))).toEqual(["3:ac"])
    }),
  )

  it(
    "stops when an answer has enough text",
    effect(function* () {
      const source = yield* of(`${"k".repeat(4095)}\n`.repeat(600), 65_536)
      const page = yield* find(source, compile("k"))
      expect(page.complete).toBe(false)
      expect(page.matches.length).toBe(Math.ceil(Grep.mostAnswerText / 4095))
      expect(page.nextByte).toBe(page.matches.length * 4096)
    }),
  )
})
