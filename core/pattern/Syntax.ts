/**
 * The syntax of patterns: that of RE2, without what a run in linear time cannot do, and without classes of Unicode.
 *
 * A line ends with `\n` or `\r`, as in JavaScript. `.` is any character that ends no line, `^` the begin of the text
 * and `$` its end. Flags: `i` for letters of either case, `m` for `^` and `$` at every line, `s` for `.` that is also
 * the end of a line; inside of a pattern `(?im)` and `(?i:…)`. `l` takes the pattern as text.
 */
import { type CodePoints, complement, lineEnds, withCases } from "./CodePoints.ts"
import * as Brackets from "./Brackets.ts"
import { fault, Scanner } from "./Scanner.ts"

/** Assertions between two characters. */
export type Place = "textStart" | "textEnd" | "lineStart" | "lineEnd" | "wordEdge" | "noWordEdge"

/** A parsed pattern. */
export type Node =
  | { readonly kind: "chars"; readonly set: CodePoints }
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "sequence"; readonly nodes: ReadonlyArray<Node> }
  | { readonly kind: "choice"; readonly nodes: ReadonlyArray<Node> }
  | { readonly kind: "repeat"; readonly node: Node; readonly least: number; readonly most: number }

/** The flags of a pattern or of a part of it. */
export interface Flags {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
}

/** The most that `{n}` may repeat. */
export const mostRepeats = 1000

/** The most levels of nested groups. */
export const mostNested = 200

/** Parses a pattern. Throws a `PatternError`. */
export const parse = (pattern: string, flags: Flags): Node => {
  const at = new Scanner(pattern)
  const node = choice(at, { ...flags }, 0)
  if (!at.done) throw fault(at, "there is no ( that this ) closes")
  return node
}

/** The text itself, as a pattern. */
export const literal = (text: string, { i }: Flags): Node => ({
  kind: "sequence",
  nodes: Array.from(text, (char) => chars([[char.codePointAt(0) ?? 0, char.codePointAt(0) ?? 0]], i)),
})

interface Mutable extends Flags {
  i: boolean
  m: boolean
  s: boolean
}

const chars = (set: CodePoints, ignoresCase: boolean): Node => ({
  kind: "chars",
  set: ignoresCase ? withCases(set) : set,
})

/** Up to the end of the group. Flags that are set within it hold to its end. */
const choice = (at: Scanner, flags: Mutable, depth: number): Node => {
  const nodes = [sequence(at, flags, depth)]
  while (at.take("|")) nodes.push(sequence(at, flags, depth))
  return nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : { kind: "choice", nodes }
}

const sequence = (at: Scanner, flags: Mutable, depth: number): Node => {
  const nodes: Array<Node> = []
  while (!at.done && !at.is("|") && !at.is(")")) {
    const node = atom(at, flags, depth)
    if (node !== undefined) nodes.push(repeated(at, node))
  }
  return { kind: "sequence", nodes }
}

/** Undefined for flags, which match nothing by themselves. */
const atom = (at: Scanner, flags: Mutable, depth: number): Node | undefined => {
  if (at.take("(")) return group(at, flags, depth)
  if (at.take("[")) return chars(Brackets.parse(at, flags.i), false)
  if (at.take(".")) return { kind: "chars", set: flags.s ? complement([]) : complement(lineEnds) }
  if (at.take("^")) return { kind: "place", place: flags.m ? "lineStart" : "textStart" }
  if (at.take("$")) return { kind: "place", place: flags.m ? "lineEnd" : "textEnd" }
  if (at.take("\\")) return escape(at, flags)
  if (["*", "+", "?"].some((sign) => at.is(sign))) throw fault(at, "there is nothing to repeat")
  const code = at.next()
  return chars([[code, code]], flags.i)
}

const places: Readonly<Record<string, Place>> = {
  b: "wordEdge",
  B: "noWordEdge",
  A: "textStart",
  z: "textEnd",
}

const escape = (at: Scanner, flags: Flags): Node => {
  const sign = at.peek()
  const place = Object.hasOwn(places, sign) ? places[sign] : undefined
  if (place !== undefined) {
    at.next()
    return { kind: "place", place }
  }
  if (/[1-9k]/.test(sign)) throw fault(at, "a reference to a group is not supported", -1)
  return chars(Brackets.escaped(at), flags.i)
}

const group = (at: Scanner, flags: Mutable, depth: number): Node | undefined => {
  const opened = at.position - 1
  if (depth === mostNested) throw fault(at, `groups may nest ${mostNested} deep`, -1)
  const inner = { ...flags }
  if (at.take("?")) {
    const name = at.match(/P?<[A-Za-z_]\w*>/y)
    if (name === undefined) {
      if (["=", "!", "<", ">"].some((sign) => at.is(sign)))
        throw fault(at, "looking ahead or behind is not supported", -2)
      const set = at.match(/[ims]*(?:-[ims]+)?(?=[:)])/y)
      if (set === undefined) throw fault(at, "no such group: (?:…), (?<name>…) and (?ims-ims:…) are", -2)
      const [on = "", off = ""] = set.split("-")
      const target = at.is(")") ? flags : inner
      for (const flag of on) target[flag as keyof Flags] = true
      for (const flag of off) target[flag as keyof Flags] = false
      if (at.take(")")) return undefined
      at.next()
    }
  }
  const node = choice(at, inner, depth + 1)
  if (!at.take(")")) throw fault(at, "there is no ) for this (", opened - at.position)
  return node
}

const repeated = (at: Scanner, node: Node): Node => {
  const start = at.position
  const times = count(at)
  if (times === undefined) return node
  // Greediness of a repetition makes no difference to where the first match ends.
  at.take("?")
  if (at.is("+")) throw fault(at, "a possessive repetition is not supported")
  const again = at.position
  if (count(at) !== undefined)
    throw fault(at, "a repetition cannot be repeated: use (?:…)", again - at.position)
  const [least, most] = times
  const highest = most === Infinity ? least : most
  if (highest > mostRepeats) throw fault(at, `{n} may be at most ${mostRepeats}`, start - at.position)
  if (most < least) throw fault(at, "the second number is below the first", start - at.position)
  return { kind: "repeat", node, least, most }
}

const count = (at: Scanner): readonly [least: number, most: number] | undefined => {
  if (at.take("*")) return [0, Infinity]
  if (at.take("+")) return [1, Infinity]
  if (at.take("?")) return [0, 1]
  const braces = at.match(/\{\d+(?:,\d*)?\}/y)
  if (braces === undefined) return undefined
  const [least = "0", most] = braces.slice(1, -1).split(",")
  return [Number(least), most === undefined ? Number(least) : most === "" ? Infinity : Number(most)]
}
