import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Pattern from "./Pattern.ts"
import { Side, sideOf } from "./Program.ts"

const utf8 = new TextEncoder()

const compiled = (pattern: string, flags = "") => Result.getOrThrow(Pattern.compile(pattern, flags))

/** The end of the first match in bytes, if the text comes in pieces of so many bytes; at its end too. */
const endOf = (pattern: string, text: string, flags = "", size = Infinity): number | undefined => {
  const { machine } = compiled(pattern, flags)
  const bytes = utf8.encode(text)
  let state = machine.start()
  if (state.hits !== undefined) return 0
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size)
    const ran = machine.run(state, piece, 0)
    state = ran.state
    if (state.hits !== undefined) return at + ran.at - (state.hits.before.length > 0 ? 1 : 0)
  }
  return machine.atEnd(state).length > 0 ? bytes.length : undefined
}

/** The first end of a match, found by trying each one with the engine of the runtime. */
const judge = (pattern: string, text: string, flags: string): number | undefined => {
  const chars = Array.from(text)
  for (let end = 0; end <= chars.length; end++) {
    for (let begin = 0; begin <= end; begin++) {
      const [before, after] = [chars.slice(0, begin), chars.slice(end)].map((part) => part.join("").length)
      const source = `(?<=^[^]{${before}})(?:${pattern})(?=[^]{${after}}$(?![^]))`
      const whole = new RegExp(source.replaceAll("^[^]", "(?<![^])[^]"), `${flags}u`)
      if (whole.test(text)) return utf8.encode(chars.slice(0, end).join("")).length
    }
  }
  return undefined
}

describe("Pattern", () => {
  it.each([
    ["ready", "not yet\nready\n", "", 13],
    ["ready", "read", "", undefined],
    ["a+", "baaa", "", 2],
    ["a{2,3}", "baaa", "", 3],
    ["a{3}", "aabaaa", "", 6],
    ["x|yy", "ayy", "", 3],
    ["^b", "ab", "", undefined],
    ["^b", "a\nb", "m", 3],
    ["a$", "ab", "", undefined],
    ["a$", "ba", "", 2],
    ["a$", "a\nb", "m", 1],
    ["a$", "a\r\nb", "m", 1],
    ["a.b", "a\nb", "", undefined],
    ["a.b", "a\nb", "s", 3],
    ["(?s)a.b", "a\nb", "", 3],
    ["(?i:A)b", "ab", "", 2],
    ["(?i:A)B", "ab", "", undefined],
    ["ÄÖ", "äö", "i", 4],
    ["[ä-ü]", "xö", "", 3],
    ["[^a-z]", "abß", "", 4],
    ["日.語", "日本語", "", 9],
    ["\\bfoo\\b", "foobar foo.", "", 10],
    ["\\bfoo\\b", "a foo", "", 5],
    ["\\Boo", "foo", "", 3],
    ["\\d{1,3}(?:\\.\\d{1,3}){3}", "at 127.0.0.1:80", "", 12],
    ["[[:digit:]]+x", "a12x", "", 4],
    ["\\x41\\u{1F600}", "A😀", "", 5],
    ["(?<port>\\d+)/tcp", "80/tcp", "", 6],
    ["a.c", "a.c abc", "l", 3],
    ["a*", "b", "", 0],
    ["(a|b)*?c", "abac", "", 4],
    ["[]a]", "x]", "", 2],
    ["[a\\-z]", "b-", "", 2],
    ["\\$ $", "me@here:~$ ", "", 11],
  ])("finds the end of %j in %j with flags %j: %s", (pattern, text, flags, end) => {
    for (const size of [Infinity, 1, 2, 3]) expect(endOf(pattern, text, flags, size)).toBe(end)
  })

  it("agrees with the engine of the runtime on random patterns and texts", () => {
    let seed = 7
    const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n
    const pick = <A>(list: ReadonlyArray<A>): A => list[random(list.length)] as A
    const make = (depth: number): string => {
      const part = () =>
        depth > 0 && random(3) === 0
          ? `(?:${make(depth - 1)})`
          : pick(["a", "b", "é", ".", "[ab]", "[^a]", "\\w", "\\b", "^", "$"])
      const repeated = () => {
        const one = part()
        return /^(?:\\b|\^|\$)$/.test(one)
          ? one
          : one + pick(["", "", "", "*", "+", "?", "{2}", "{1,2}", "*?"])
      }
      const row = () => Array.from({ length: 1 + random(3) }, repeated).join("")
      return random(3) === 0 ? `${row()}|${row()}` : row()
    }
    for (let n = 0; n < 200; n++) {
      const pattern = make(2)
      const text = Array.from({ length: random(7) }, () => pick(["a", "b", "é", "\n", " "])).join("")
      const flags = pick(["", "m", "s", "i"])
      const found = [Infinity, 1].map((size) => endOf(pattern, text, flags, size))
      const right = judge(pattern, text, flags)
      expect({ pattern, text, flags, found }).toEqual({ pattern, text, flags, found: [right, right] })
    }
  })

  it("finds where a match begins, backwards from its end: the longest of those that end there", () => {
    const { backwards } = compiled("\\bfo+")
    const bytes = utf8.encode("a foo foo")
    let state = backwards.start(sideOf(0x20))
    const ends: Array<number> = []
    for (let at = 4; at >= 0; at--) {
      state = backwards.step(state, bytes[at] ?? 0)
      if (state.hits !== undefined) ends.push(state.hits.before.length > 0 ? at + 1 : at)
    }
    expect(ends).toEqual([2])
    expect(Side.none).toBe(1)
  })

  it.each([
    ["(", 0, "there is no ) for this ("],
    ["a)", 1, "there is no ( that this ) closes"],
    ["[a", 0, "there is no ] for this ["],
    ["a**", 2, "a repetition cannot be repeated: use (?:…)"],
    ["*", 0, "there is nothing to repeat"],
    ["a++", 2, "a possessive repetition is not supported"],
    ["(a)\\1", 3, "a reference to a group is not supported"],
    ["x(?=a)", 1, "looking ahead or behind is not supported"],
    ["x(?<!a)", 1, "looking ahead or behind is not supported"],
    ["x(?>a)", 1, "looking ahead or behind is not supported"],
    ["\\pL", 0, "\\p is not supported"],
    ["a\\", 1, "the backslash stands at the end"],
    ["a{1001}", 1, "{n} may be at most 1000"],
    ["a{3,2}", 1, "the second number is below the first"],
    ["[b-a]", 1, "the range has no end, or it is below its begin"],
    ["[[:word:]]", 1, "no such class: alnum, alpha, digit, lower, punct, space, upper, xdigit are"],
    ["", 0, "it is empty"],
    ["(a{1000}){1000}", 0, "it needs more than 20000 steps"],
  ])("refuses %j at position %i: %s", (pattern, position, detail) => {
    expect(Result.flip(Pattern.compile(pattern)).pipe(Result.getOrThrow)).toMatchObject({
      pattern,
      position,
      detail,
    })
  })

  it.each(["g", "ii", "im "])("refuses the flags %j", (flags) => {
    expect(Result.isFailure(Pattern.compile("a", flags))).toBe(true)
  })

  it("takes a pattern on which others backtrack through a mebibyte in linear time, and little memory", () => {
    const { machine } = compiled("(a+)+$")
    const bytes = utf8.encode("a".repeat(1 << 20))
    const { state } = machine.run(machine.start(), bytes, 0)
    expect(state.hits).toBeUndefined()
    expect(machine.atEnd(state)).toEqual([0])
    const blown = compiled("(?:a|b)*a(?:a|b){14}c")
    const text = utf8.encode(
      Array.from({ length: 1 << 15 }, (_, n) => "ab"[((n * 2654435761) >>> 7) & 1]).join(""),
    )
    expect(blown.machine.run(blown.machine.start(), text, 0).at).toBe(text.length)
  })
})
