/** The text that every match of a pattern has: who looks for it first, has most of a long output behind at once. */
import { utf8 } from "../protocol/Bytes.ts"
import type { Node } from "./Syntax.ts"

/** Bytes that every match has. */
export interface Literal {
  /** Its UTF-8. */
  readonly bytes: Uint8Array
  /** True if the pattern matches this and nothing else. */
  readonly isWhole: boolean
}

/** A repetition counts so often. */
const mostRepeats = 64

/** The longest text that every match has in one piece; undefined if there is none. */
export const of = (node: Node): Literal | undefined => {
  const runs: Array<string> = [""]
  let isWhole = true
  const visit = (node: Node): void => {
    if (node.kind === "sequence") return node.nodes.forEach(visit)
    const only = node.kind === "chars" ? onlyOf(node.set) : undefined
    if (only !== undefined) return void runs.push((runs.pop() ?? "") + only)
    isWhole = false
    // The next literal is no longer in one piece with the one before, unless it is repeated that often at least.
    const least = node.kind === "repeat" ? Math.min(node.least, mostRepeats) : 0
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
