/** A place in the text of a pattern, and the error that names it. */
import * as Data from "effect/Data"

/** A pattern that cannot be used. */
export class PatternError extends Data.TaggedError("PatternError")<{
  /** `Syntax`: it is no pattern, or has what is not supported. `TooLarge`: it takes too much memory. */
  readonly reason: "Syntax" | "TooLarge"
  /** The pattern. */
  readonly pattern: string
  /** The place of the fault, in UTF-16 units from 0. */
  readonly position: number
  /** The fault. */
  readonly detail: string
}> {
  /** All of that. */
  override get message(): string {
    return `pattern ${JSON.stringify(this.pattern)} cannot be used, at position ${this.position}: ${this.detail}`
  }
}

/** Reads a pattern from its begin to its end. */
export class Scanner {
  readonly pattern: string
  /** In UTF-16 units. */
  position = 0

  constructor(pattern: string) {
    this.pattern = pattern
  }

  /** True at the end. */
  get done(): boolean {
    return this.position >= this.pattern.length
  }

  /** The next character; empty at the end. */
  peek(): string {
    return this.done ? "" : String.fromCodePoint(this.pattern.codePointAt(this.position) ?? 0)
  }

  /** True if this comes next. */
  is(text: string): boolean {
    return this.pattern.startsWith(text, this.position)
  }

  /** Passes this if it comes next. */
  take(text: string): boolean {
    const found = this.is(text)
    if (found) this.position += text.length
    return found
  }

  /** Passes what the sticky expression matches here. */
  match(expression: RegExp): string | undefined {
    expression.lastIndex = this.position
    const [found] = expression.exec(this.pattern) ?? []
    if (found !== undefined) this.position += found.length
    return found
  }

  /** Passes one character: its code point. */
  next(): number {
    const char = this.peek()
    this.position += char.length
    return char.codePointAt(0) ?? 0
  }
}

/** The error for what is here, or `offset` units further. */
export const fault = ({ pattern, position }: Scanner, detail: string, offset = 0): PatternError =>
  new PatternError({ reason: "Syntax", pattern, position: position + offset, detail })
