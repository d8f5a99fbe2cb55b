/** Sets of code points, as sorted ranges that do not touch. */

/** From the first code point to the last, both included. */
export type Range = readonly [first: number, last: number]

/** A set of code points. */
export type CodePoints = ReadonlyArray<Range>

/** The last code point of Unicode. */
export const last = 0x10ffff

/** The union of these ranges. */
export const union = (ranges: ReadonlyArray<Range>): CodePoints => {
  const joined: Array<[number, number]> = []
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = joined.at(-1)
    if (before !== undefined && from <= before[1] + 1) before[1] = Math.max(before[1], to)
    else joined.push([from, to])
  }
  return joined
}

/** Every code point that is not in the set. */
export const complement = (set: CodePoints): CodePoints => {
  const rest: Array<Range> = []
  let next = 0
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1])
    next = to + 1
  }
  return next > last ? rest : [...rest, [next, last]]
}

/** The set and the other cases of its letters, up to U+FFFF and one to one: `ß` stays alone. */
export const withCases = (set: CodePoints): CodePoints => {
  const more: Array<Range> = [...set]
  for (const [from, to] of set) {
    for (let code = from; code <= Math.min(to, 0xffff); code++) {
      const char = String.fromCharCode(code)
      for (const other of [char.toLowerCase(), char.toUpperCase()]) {
        const single = other.length === 1 ? other.charCodeAt(0) : code
        if (single !== code) more.push([single, single])
      }
    }
  }
  return union(more)
}

/** `\d`, `\w` and `\s`: of ASCII. */
export const named: Readonly<Record<string, CodePoints>> = {
  d: [[0x30, 0x39]],
  w: union([
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ]),
  s: union([
    [0x09, 0x0d],
    [0x20, 0x20],
  ]),
}

/** The code points that end a line. */
export const lineEnds: CodePoints = union([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
])

/** The classes of POSIX that stand in brackets, as in `[[:digit:]]`. */
export const posix: Readonly<Record<string, CodePoints>> = {
  alnum: union([
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x61, 0x7a],
  ]),
  alpha: union([
    [0x41, 0x5a],
    [0x61, 0x7a],
  ]),
  digit: named["d"] ?? [],
  lower: [[0x61, 0x7a]],
  punct: union([
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ]),
  space: named["s"] ?? [],
  upper: [[0x41, 0x5a]],
  xdigit: union([
    [0x30, 0x39],
    [0x41, 0x46],
    [0x61, 0x66],
  ]),
}
