/** The UTF-8 of a set of code points: sequences of byte ranges. */
import type { CodePoints, Range } from "./CodePoints.ts"

/** One to four ranges of bytes, in the order of the text. */
export type ByteSequence = ReadonlyArray<Range>

/** The first and the last code point of each length, without the surrogates, which UTF-8 does not have. */
const lengths: ReadonlyArray<Range> = [
  [0, 0x7f],
  [0x80, 0x7ff],
  [0x800, 0xd7ff],
  [0xe000, 0xffff],
  [0x10000, 0x10ffff],
]

/** Sequences that match exactly the encodings of these code points. */
export const of = (set: CodePoints): ReadonlyArray<ByteSequence> =>
  set.flatMap(([from, to]) =>
    lengths.flatMap(([least, most]) => {
      const [first, last] = [Math.max(from, least), Math.min(to, most)]
      return first > last ? [] : split(encode(first), encode(last))
    }),
  )

const encode = (code: number): ReadonlyArray<number> => {
  if (code < 0x80) return [code]
  if (code < 0x800) return [0xc0 | (code >> 6), rest(code)]
  if (code < 0x10000) return [0xe0 | (code >> 12), rest(code >> 6), rest(code)]
  return [0xf0 | (code >> 18), rest(code >> 12), rest(code >> 6), rest(code)]
}

const rest = (bits: number): number => 0x80 | (bits & 0x3f)

/** The encodings from `first` to `last`, which have the same length. */
const split = (first: ReadonlyArray<number>, last: ReadonlyArray<number>): ReadonlyArray<ByteSequence> => {
  const [from = 0, ...fromRest] = first
  const [to = 0, ...toRest] = last
  if (fromRest.length === 0) return [[[from, to]]]
  if (from === to) return split(fromRest, toRest).map((tail) => [[from, from], ...tail])
  const low = fromRest.map(() => 0x80)
  const high = fromRest.map(() => 0xbf)
  const startsLow = fromRest.every((byte) => byte === 0x80)
  const endsHigh = toRest.every((byte) => byte === 0xbf)
  const begin = startsLow ? from : from + 1
  const end = endsHigh ? to : to - 1
  return [
    ...(startsLow ? [] : split([from, ...fromRest], [from, ...high])),
    ...(begin > end ? [] : [[[begin, end], ...low.map((byte): Range => [byte, 0xbf])] as ByteSequence]),
    ...(endsHigh ? [] : split([to, ...low], [to, ...toRest])),
  ]
}
