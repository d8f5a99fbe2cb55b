/**
 * The arguments of a template.
 *
 * They are made here, and no shell ever sees them: white space separates words, `'…'`, `"…"` and `\` quote as in a
 * shell, and a value is a part of one word, whatever is in it. Whatever else a shell would do something about (`|`,
 * `>`, `$HOME`, `*.ts`, …) is refused unless it is quoted: passed on as an argument it would not do what it says.
 */
import { fault, type Template, toArguments } from "./Values.ts"

/** The argv that a template with these values stands for. Throws for a template that stands for none. */
export const words = (template: Template, values: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const reading = new Reading(template)
  for (const [index, text] of template.raw.entries()) {
    reading.literal(text)
    if (index < values.length) reading.value(index, values[index])
  }
  return reading.end()
}

class Reading {
  private readonly argv: Array<string> = []
  /** The begin of the current word; undefined between words. */
  private word: string | undefined
  private quote: string | undefined
  /** An array has just stood for words of its own. */
  private spread = false

  private readonly template: Template

  constructor(template: Template) {
    this.template = template
  }

  literal(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const char = text.charAt(at)
      if (this.quote === "'" ? char !== "'" : !`\\"'`.includes(char)) this.plain(char, text.slice(at + 1))
      else if (char === "\\") this.escaped(text.charAt((at += 1)))
      else if (this.quote === undefined) this.begin(char)
      else if (this.quote === char) this.quote = undefined
      else this.add(char)
    }
  }

  value(index: number, value: unknown): void {
    const texts = toArguments(this.template, index, value)
    if (!Array.isArray(value)) return this.add(texts.join(""))
    if (this.word !== undefined || this.quote !== undefined || this.spread) throw this.refused(alone(index))
    this.argv.push(...texts)
    this.spread = true
  }

  end(): ReadonlyArray<string> {
    if (this.quote !== undefined) throw this.refused(`a ${this.quote} is not closed`)
    this.flush()
    if (this.argv.length === 0) throw this.refused("there is no program to run")
    return this.argv
  }

  private begin(quote: string): void {
    this.add("")
    this.quote = quote
  }

  private add(text: string): void {
    if (this.spread) throw this.refused("an array stands for whole arguments: white space has to follow it")
    this.word = (this.word ?? "") + text
  }

  private flush(): void {
    if (this.word !== undefined) this.argv.push(this.word)
    this.word = undefined
    this.spread = false
  }

  private escaped(char: string): void {
    if (char === "") throw this.refused("the backslash at the end of a text quotes nothing")
    if (char === "\n") return
    this.add(this.quote === '"' && !'$`"\\'.includes(char) ? `\\${char}` : char)
  }

  private plain(char: string, rest: string): void {
    if (this.quote === undefined && /\s/.test(char)) return this.flush()
    const syntax = this.quote === "'" ? undefined : this.syntax(char, rest)
    if (syntax !== undefined) throw this.refused(syntax)
    this.add(char)
  }

  /** The error for a character that a shell would not pass on. */
  private syntax(char: string, rest: string): string | undefined {
    if (char === "`" || (char === "$" && /^[\w{(@*#?$!-]/.test(rest))) {
      return `'${char}' expands nothing here: use a value \${…}, quote it as '…', or ${shell}`
    }
    if (this.quote !== undefined) return undefined
    if (char === "|") return `'|' is for shells: quote it, join commands with .pipe(), or ${shell}`
    if (`&;<>()*?[`.includes(char) || (this.word === undefined && `~#`.includes(char))) {
      return `'${char}' is for shells: quote it, or ${shell}`
    }
    const isVariable = char === "=" && this.argv.length === 0 && /^[A-Za-z_]\w*$/.test(this.word ?? "")
    return isVariable ? `'${this.word}=' sets no variable here: use .env({ ${this.word}: … })` : undefined
  }

  private refused(message: string) {
    return fault(this.template, message)
  }
}

const shell = "ask for a shell with $({ shell: true })"

const alone = (index: number) =>
  `value ${index + 1} is an array, which stands for whole arguments: white space has to be around it`
