/** Output as programs with a terminal write it, made up from a seed. */

/** Numbers that look random, and are the same for the same seed. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const words = [
  "ready",
  "a longer piece of text",
  "語",
  "日本語の文",
  "e\u0301",
  "🙂",
  "·",
  "─│┌",
  " ",
  "ﷺ",
  "n\u0303o",
]

/** The pieces of one output, for a screen of this size. */
export const pieces = (seed: number, count: number, rows: number, columns: number): ReadonlyArray<string> => {
  const below = numbers(seed)
  const pick = <A>(list: ReadonlyArray<A>): A => list[below(list.length)] as A
  const color = () => pick([`5;${below(256)}`, `2;${below(256)};${below(256)};${below(256)}`])
  const makers: ReadonlyArray<() => string> = [
    () => pick(words),
    () => pick(words),
    () => pick(words),
    () => "x".repeat(below(columns * 2)),
    () => "\r\n",
    () => "\r\n",
    () => pick(["\r", "\b", "\n", "\t", "\x1bM", "\x1bD"]),
    () => `\x1b[${below(rows) + 1};${below(columns) + 1}H`,
    () => `\x1b[${below(5)}${pick(["A", "B", "C", "D", "E", "F"])}`,
    () => `\x1b[${pick([0, 1, 2, 3, 4, 5, 7, 8, 9, 21, 22, 24, 27, 53, 31, 42, 97, 104, 39, 49])}m`,
    () => `\x1b[${pick([38, 48])};${color()}m`,
    () => `\x1b[0;1;${pick([33, 44])}m`,
    () => "\x1b[m",
    () => `\x1b[${pick(["", "1", "2"])}${pick(["K", "K", "J"])}`,
    () => `\x1b[${below(4) + 1}${pick(["@", "P", "X", "L", "M", "S", "T", "b"])}`,
    () => `\x1b[${below(rows) + 1};${below(rows) + 1}r`,
    () => "\x1b[r",
    () => `\x1b[?${pick([25, 1, 7, 2004, 1049, 47, 6, 1000, 1003, 1004, 45])}${pick(["h", "l"])}`,
    () => `\x1b[${pick(["4h", "4l", "!p"])}`,
    () => `\x1b[${below(7)} q`,
    () => `\x1b]${pick([0, 1, 2])};title ${below(9)}\x07`,
    () => `\x1b]8;;http://localhost/${below(9)}\x1b\\link\x1b]8;;\x1b\\`,
    () => pick(["\x1b=", "\x1b>", "\x1b[22;2t", "\x1b[23;2t"]),
  ]
  return Array.from({ length: count }, () => pick(makers)())
}
