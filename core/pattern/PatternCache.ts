/** The patterns that were used last: who looks for the same again need not compile it. */
import * as Result from "effect/Result"
import * as Pattern from "./Pattern.ts"

/** The most patterns that are kept. */
export const mostPatterns = 128

/** Compiled patterns by their texts and flags. */
export class PatternCache {
  private readonly kept = new Map<string, Pattern.Pattern>()

  /** As `Pattern.compile`. */
  compile(pattern: string, flags: string): Result.Result<Pattern.Pattern, Pattern.PatternError> {
    const key = `${flags} ${pattern}`
    const known = this.kept.get(key)
    const compiled = known === undefined ? Pattern.compile(pattern, flags) : Result.succeed(known)
    if (Result.isFailure(compiled)) return compiled
    this.kept.delete(key)
    this.kept.set(key, compiled.success)
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= mostPatterns) break
      this.kept.delete(oldest)
    }
    return compiled
  }
}
