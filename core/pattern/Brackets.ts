/** Sets of characters in a pattern: `[a-z]`, and what a backslash names. */
import {
  type CodePoints,
  complement,
  last,
  named,
  posix,
  type Range,
  union,
  withCases,
} from "./CodePoints.ts"
import { fault, type Scanner } from "./Scanner.ts"

/** Behind a `[`, up to and including its `]`. */
export const parse = (at: Scanner, ignoresCase: boolean): CodePoints => {
  const opened = at.position - 1
  const isComplement = at.take("^")
  const ranges: Array<Range> = []
  for (let first = true; first || !at.is("]"); first = false) {
    if (at.done) throw fault(at, "there is no ] for this [", opened - at.position)
    const start = at.position
    const from = one(at)
    const code = single(from)
    if (!at.is("-") || at.is("-]") || code === undefined) {
      ranges.push(...from)
      continue
    }
    at.next()
    if (at.done) throw fault(at, "there is no ] for this [", opened - at.position)
    const to = single(one(at))
    if (to === undefined || to < code)
      throw fault(at, "the range has no end, or it is below its begin", start - at.position)
    ranges.push([code, to])
  }
  at.next()
  const set = ignoresCase ? withCases(union(ranges)) : union(ranges)
  return isComplement ? complement(set) : set
}

const one = (at: Scanner): CodePoints => {
  const start = at.position
  const name = at.match(/\[:\^?[a-z]+:\]/y)
  if (name !== undefined) {
    const word = name.replace(/[^a-z]/g, "")
    const set = Object.hasOwn(posix, word) ? posix[word] : undefined
    if (set === undefined)
      throw fault(at, `no such class: ${Object.keys(posix).join(", ")} are`, start - at.position)
    return name.includes("^") ? complement(set) : set
  }
  if (at.take("\\")) return at.take("b") ? [[8, 8]] : escaped(at)
  const code = at.next()
  return [[code, code]]
}

const single = (set: CodePoints): number | undefined => {
  const [range, ...more] = set
  return range !== undefined && more.length === 0 && range[0] === range[1] ? range[0] : undefined
}

const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7, e: 27, "0": 0 }

/** Behind a backslash: the characters that it names. */
export const escaped = (at: Scanner): CodePoints => {
  const hex = at.match(/x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|[xu]\{[\dA-Fa-f]{1,6}\}/y)
  if (hex !== undefined) {
    const code = Number.parseInt(hex.replace(/[xu{}]/g, ""), 16)
    if (code > last) throw fault(at, "no such character", -hex.length)
    return [[code, code]]
  }
  if (at.done) throw fault(at, "the backslash stands at the end", -1)
  const sign = at.peek()
  const code = at.next()
  const set = Object.hasOwn(named, sign.toLowerCase()) ? named[sign.toLowerCase()] : undefined
  if (set !== undefined) return sign === sign.toLowerCase() ? set : complement(set)
  const control = Object.hasOwn(controls, sign) ? controls[sign] : undefined
  if (control !== undefined) return [[control, control]]
  if (/[\dA-Za-z]/.test(sign)) throw fault(at, `\\${sign} is not supported`, -2)
  return [[code, code]]
}
