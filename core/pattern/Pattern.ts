/** A pattern that is ready to be looked for in output that comes piece by piece. */
import * as Result from "effect/Result"
import * as Literal from "./Literal.ts"
import { Machine } from "./Machine.ts"
import * as Program from "./Program.ts"
import { PatternError } from "./Scanner.ts"
import * as Syntax from "./Syntax.ts"

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
  readonly literal: Literal.Literal | undefined
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
      literal: Literal.of(node),
    })
  } catch (error) {
    if (error instanceof PatternError) return Result.fail(error)
    if (error instanceof Program.TooLarge)
      return refuse("TooLarge", `it needs more than ${Program.mostInstructions} steps`)
    throw error
  }
}
