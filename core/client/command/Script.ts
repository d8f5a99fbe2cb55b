/**
 * The script of a template, for who asks for a shell.
 *
 * The text of the template is the script, and its values are variables of it: `sh` reads them after it has parsed the
 * script, so that nothing in a value is ever syntax. Where a value stands unquoted it is one word all the same.
 */
import { fault, type Template, toArguments } from "./Values.ts"

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
