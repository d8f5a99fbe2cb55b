/** A pattern that is ready to be looked for in output that comes piece by piece. */
import * as Result from "effect/Result"
import { Machine } from "./Machine.ts"
import * as Program from "./Program.ts"
import { PatternError } from "./Scanner.ts"
import * as Syntax from "./Syntax.ts"
import { utf8 } from "../protocol/Bytes.ts"
import type { Node } from "./Syntax.ts"

export { PatternError } from "./Scanner.ts"

/** The longest text of a pattern, in UTF-16 units. */
export const mostLength = 4096

/** A pattern. It has no state: any number of searches share one. */
export interface Pattern {
  /** Finds where a match ends: some match begins at any byte. */
  readonly forwards: Program.Program
  /** Runs `forwards` alone. */
  readonly machine: Machine
  /** Finds from there where it begins. */
  readonly backwards: Machine
  /** Bytes that every match has. */
  readonly literal: Literal | undefined
}

/** Compiles a pattern with flags out of `i`, `m`, `s` and `l` (see `Syntax`), each at most once. */
export const compile = (pattern: string, flags = ""): Result.Result<Pattern, PatternError> => {
  const refuse = (reason: PatternError["reason"], detail: string) =>
    Result.fail(new PatternError({ reason, pattern: pattern.slice(0, 200), position: 0, detail }))
  if (pattern === "") return refuse("Syntax", "it is empty")
  if (pattern.length > mostLength) return refuse("TooLarge", `it is longer than ${mostLength} characters`)
  if (!/^(?:([imsl])(?!.*\1))*$/.test(flags))
    return refuse("Syntax", `flags are i, m, s and l, not '${flags}'`)
  const has = (flag: string) => flags.includes(flag)
  const given = { i: has("i"), m: has("m"), s: has("s") }
  try {
    const node = has("l") ? Syntax.literal(pattern, given) : Syntax.parse(pattern, given)
    const forwards = Program.make(node, false, true)
    return Result.succeed({
      forwards,
      machine: new Machine([forwards]),
      backwards: new Machine([Program.make(node, true, false)]),
      literal: literalOf(node),
    })
  } catch (error) {
    if (error instanceof PatternError) return Result.fail(error)
    if (error instanceof Program.TooLarge)
      return refuse("TooLarge", `it needs more than ${Program.mostInstructions} steps`)
    throw error
  }
}

/** The text that every match of a pattern has: a search for it passes most of a long output at once. */
export interface Literal {
  /** Its UTF-8. */
  readonly bytes: Uint8Array
  /** True if the pattern matches this and nothing else. */
  readonly isWhole: boolean
}

/** A repetition counts so often. */
const mostCounted = 64

/** The longest text that every match has in one piece; undefined if there is none. */
const literalOf = (node: Node): Literal | undefined => {
  const runs: Array<string> = [""]
  let isWhole = true
  const visit = (node: Node): void => {
    if (node.kind === "sequence") return node.nodes.forEach(visit)
    const only = node.kind === "chars" ? onlyOf(node.set) : undefined
    if (only !== undefined) return void runs.push((runs.pop() ?? "") + only)
    isWhole = false
    // The next literal is no longer in one piece with the one before, unless it is repeated that often at least.
    const least = node.kind === "repeat" ? Math.min(node.least, mostCounted) : 0
    const again = node.kind === "repeat" && node.node.kind === "chars" ? onlyOf(node.node.set) : undefined
    if (again !== undefined) runs.push((runs.pop() ?? "") + again.repeat(least))
    else {
      runs.push("")
      if (node.kind === "repeat" && least > 0) visit(node.node)
    }
    runs.push("")
  }
  visit(node)
  const longest = runs.reduce((one, other) => (other.length > one.length ? other : one))
  return longest === "" ? undefined : { bytes: utf8.encode(longest), isWhole }
}

/** Halves of a character outside of the first plane are none by themselves. */
const onlyOf = (set: Extract<Node, { kind: "chars" }>["set"]): string | undefined => {
  const [range, ...others] = set
  if (range === undefined || others.length > 0 || range[0] !== range[1]) return undefined
  return range[0] >= 0xd800 && range[0] <= 0xdfff ? undefined : String.fromCodePoint(range[0])
}
