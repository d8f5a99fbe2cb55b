/**
 * The arguments of a template.
 *
 * They are made here, and no shell ever sees them: white space separates words, `'…'`, `"…"` and `\` quote as in a
 * shell, and a value is a part of one word, whatever is in it. Whatever else a shell would do something about (`|`,
 * `>`, `$HOME`, `*.ts`, …) is refused unless it is quoted: passed on as an argument it would not do what it says.
 */
import type { ClientError } from "../ClientError.ts"
import { invalid } from "../OptionNames.ts"

/** One argument. */
export type Argument = string | number | bigint

/** A value in a template: an argument, or an array of them for as many arguments. */
export type Value = Argument | ReadonlyArray<Argument>

/** The texts of a template, as the source has them. */
export interface Template extends ReadonlyArray<string> {
  /** Without escapes of JavaScript: a backslash is a backslash. */
  readonly raw: ReadonlyArray<string>
}

/** The error of a template. */
export const fault = ({ raw }: Template, message: string): ClientError => {
  const shown = raw.join("${…}").trim().replace(/\s+/g, " ")
  return invalid(`$\`${shown.length > 80 ? `${shown.slice(0, 79)}…` : shown}\`: ${message}`)
}

/** The arguments that value `index` stands for. Throws for what is none. */
const toArguments = (template: Template, index: number, value: unknown): ReadonlyArray<string> => {
  const name = `value ${index + 1}`
  if (!Array.isArray(value)) return [toArgument(template, name, value)]
  return value.map((one: unknown, at) => toArgument(template, `${name}[${at}]`, one))
}

const toArgument = (template: Template, name: string, value: unknown): string => {
  const isText = typeof value === "string" || typeof value === "bigint"
  if (!isText && !(typeof value === "number" && Number.isFinite(value))) {
    throw fault(template, `${name} is ${kindOf(value)}: ${expected}`)
  }
  const text = String(value)
  if (text.includes("\0")) throw fault(template, `${name} has a NUL character, which no argument can have`)
  return text
}

const expected = "expected a string, a number, or an array of them; [] stands for no argument"

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object" && value !== null) {
    const { name = "" } = (value.constructor as { name?: string } | undefined) ?? {}
    return name === "" || name === "Object" ? "an object" : `an object (${name})`
  }
  return typeof value === "function" || typeof value === "symbol" ? `a ${typeof value}` : String(value)
}

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

/** The argv of `sh` for a template with these values. Throws for a value where a shell could not put one. */
export const script = (template: Template, values: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const quotes = new Quotes()
  const given: Array<string> = []
  const parts: Array<string> = []
  for (const [index, text] of template.raw.entries()) {
    quotes.read(text)
    parts.push(text)
    if (index >= values.length) continue
    const value = values[index]
    const texts = toArguments(template, index, value)
    const quote = quotes.inside
    if (quote === "'" || (quote === '"' && Array.isArray(value))) {
      throw fault(
        template,
        `value ${index + 1} stands between ${quote} and ${quote}: take them away, a value needs no quotes`,
      )
    }
    const names = texts.map((one) => `procwire${given.push(one)}`)
    parts.push(names.map((name) => (quote === '"' ? `\${${name}}` : `"$${name}"`)).join(" "))
  }
  if (parts.join("").trim() === "") throw fault(template, "there is no program to run")
  const variables = given.map((_, index) => `procwire${index + 1}=\${${index + 1}}; `)
  return ["sh", "-c", variables.join("") + parts.join(""), "sh", ...given]
}

/** In which quotes a script is, character by character; `$(` begins anew, and comments have none. */
class Quotes {
  private readonly open: Array<string> = []
  private last = " "
  private comment = false
  private escaped = false

  /** The quote that a value would stand in. */
  get inside(): string | undefined {
    const quote = this.open.at(-1)
    return quote === "(" ? undefined : quote
  }

  read(text: string): void {
    for (const char of text) {
      this.take(char)
      this.last = char
    }
  }

  private take(char: string): void {
    const { open, inside } = this
    if (this.comment) {
      this.comment = char !== "\n"
      return
    }
    if (this.escaped) {
      this.escaped = false
      return
    }
    if (inside === "'") {
      if (char === "'") open.pop()
      return
    }
    if (char === "\\") this.escaped = true
    else if (char === '"' && inside === '"') open.pop()
    else if (char === '"') open.push(char)
    else if (char === "(" && (inside === undefined || this.last === "$")) open.push(char)
    else if (char === ")" && open.at(-1) === "(") open.pop()
    else if (inside === undefined && char === "'") open.push(char)
    else if (inside === undefined && char === "#" && /[\s;(]/.test(this.last)) this.comment = true
  }
}
