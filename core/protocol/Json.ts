/**
 * A strict JSON parser for untrusted messages.
 *
 * It does what `JSON.parse` does not: integers above 2^53 keep every digit (as bigint), `1.0` and `1e2` differ from
 * integers, a duplicate key is an error, and depth and number of values are bounded while parsing. Error texts and
 * positions (line, byte column) are those of the peer implementation, because clients see them.
 */
import type { CutText } from "./CutText.ts"
import * as Limits from "./Limits.ts"

/** A parsed text. Integers above 2^53 are bigint; those with a fraction or an exponent are `Decimal`. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | Decimal
  | ReadonlyArray<Json>
  | { readonly [key: string]: Json }

/**
 * A number with a fraction, an exponent or more than 20 characters. No field of the wire takes one.
 *
 * It is a symbol, whose description is the number as it was written: a primitive that no check for an object, a string
 * or an integer accepts, so that a field cannot take it by mistake.
 */
export type Decimal = symbol

/** True for a number that is no integer. */
export const isDecimal = (json: unknown): json is Decimal => typeof json === "symbol"

/** The number as it was written. */
export const decimalText = (decimal: Decimal): string => decimal.description ?? ""

/** True for a JSON object. */
export const isObject = (json: Json): json is { readonly [key: string]: Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** The type of a value in the words of the peer's decoder: `number`, `string "x"`, `null`, `map`, `sequence`. */
export const describe = (json: unknown): string => {
  if (json === null || json === undefined) return "null"
  if (typeof json === "string") return `string ${JSON.stringify(json)}`
  if (typeof json === "boolean") return `boolean \`${json}\``
  if (Array.isArray(json)) return "sequence"
  return typeof json === "object" ? "map" : "number"
}

/** The text is not JSON or exceeds the bounds. `message` ends with the position. */
export class JsonError extends Error {}

/** The deepest nesting of arrays and objects, and the number of values (containers included) that is too many. */
export type Bounds = Pick<Limits.Limits, "jsonDepth" | "jsonValues">

/** Parses one JSON text. With `cut`, its bytes are the value of the string that ends there. Throws `JsonError`. */
export const parse = (text: string, bounds: Bounds = Limits.defaults, cut?: CutText): Json =>
  new Reader(text, bounds, cut).document()

/** The same, but a string may have half a character, as those of JavaScript may. */
export const parseIllFormed = (text: string, bounds: Bounds = Limits.defaults): Json =>
  new Reader(text, bounds, undefined, true).document()

const [quote, backslash] = [34, 92]
// oxlint-disable-next-line no-control-regex -- control characters are exactly what is looked for
const control = /[\u0000-\u001f]/
/** Characters of the longest 64-bit integer. A longer literal is not converted: that takes quadratic time. */
const longestInteger = 20
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y

class Reader {
  private readonly text: string
  private readonly maxDepth: number
  private readonly maxValues: number
  private at = 0
  private depth = 0
  private values = 0
  /** The index of the next backslash: a string that ends before it needs no unescaping. */
  private escape = -1
  private readonly cut: CutText | undefined
  private readonly illFormed: boolean

  constructor(text: string, { jsonDepth, jsonValues }: Bounds, cut?: CutText, illFormed = false) {
    this.text = text
    this.illFormed = illFormed
    this.cut = cut
    this.maxDepth = jsonDepth
    this.maxValues = jsonValues
  }

  document(): Json {
    const value = this.value()
    this.space()
    if (this.at < this.text.length) throw this.error("trailing characters")
    return value
  }

  private value(): Json {
    const code = this.space()
    this.values += 1
    if (this.values >= this.maxValues) throw this.error(Limits.textOf("jsonValues", this.maxValues))
    switch (code) {
      case quote:
        return this.cut?.at === this.at + 1 ? this.filled(this.cut) : this.string()
      case 0x7b:
        return this.nested(() => this.object())
      case 0x5b:
        return this.nested(() => this.array())
      case 0x74:
        return this.literal("true", true)
      case 0x66:
        return this.literal("false", false)
      case 0x6e:
        return this.literal("null", null)
      default:
        if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.number()
        throw this.error(code === -1 ? "EOF while parsing a value" : "expected value")
    }
  }

  private nested<A>(read: () => A): A {
    this.depth += 1
    if (this.depth > this.maxDepth) throw this.error(Limits.textOf("jsonDepth", this.maxDepth))
    this.at += 1
    const value = read()
    this.depth -= 1
    return value
  }

  private object(): { readonly [key: string]: Json } {
    const object: { [key: string]: Json } = {}
    let code = this.space()
    if (code === 0x7d) {
      this.at += 1
      return object
    }
    for (;;) {
      if (code !== quote) {
        throw this.error(code === -1 ? "EOF while parsing an object" : "key must be a string")
      }
      const key = this.string()
      if (Object.hasOwn(object, key)) throw this.error(`duplicate JSON object key \`${key}\``, this.at - 1)
      code = this.space()
      if (code !== 0x3a) throw this.error(code === -1 ? "EOF while parsing an object" : "expected `:`")
      this.at += 1
      const value = this.value()
      if (key === "__proto__") Object.defineProperty(object, key, { value, enumerable: true })
      else object[key] = value
      code = this.space()
      this.at += 1
      if (code === 0x7d) return object
      if (code !== 0x2c) {
        this.at -= 1
        throw this.error(code === -1 ? "EOF while parsing an object" : "expected `,` or `}`")
      }
      code = this.space()
      if (code === 0x7d) throw this.error("trailing comma")
      if (code === -1) throw this.error("EOF while parsing a value")
    }
  }

  private array(): ReadonlyArray<Json> {
    const array: Array<Json> = []
    const first = this.space()
    if (first === -1) throw this.error("EOF while parsing a list")
    if (first === 0x5d) {
      this.at += 1
      return array
    }
    for (;;) {
      array.push(this.value())
      const code = this.space()
      this.at += 1
      if (code === 0x5d) return array
      if (code !== 0x2c) {
        this.at -= 1
        throw this.error(code === -1 ? "EOF while parsing a list" : "expected `,` or `]`")
      }
      if (this.space() === 0x5d) throw this.error("trailing comma")
    }
  }

  private filled({ at, bytes }: CutText): Json {
    this.at = at + 1
    return bytes as unknown as Json
  }

  private string(): string {
    const { text } = this
    const start = this.at + 1
    let end = text.indexOf('"', start)
    if (this.escape < start && this.escape !== Infinity) {
      const next = text.indexOf("\\", start)
      this.escape = next === -1 ? Infinity : next
    }
    if (end !== -1 && end < this.escape) {
      const plain = text.slice(start, end)
      if (control.test(plain)) throw this.fault(faultInString(text, start))
      this.at = end + 1
      return plain
    }
    end = start
    while (end < text.length && text.charCodeAt(end) !== quote) {
      end += text.charCodeAt(end) === backslash ? 2 : 1
    }
    this.at = end + 1
    try {
      const value: unknown = JSON.parse(text.slice(start - 1, end + 1))
      if (typeof value === "string" && (this.illFormed || !loneSurrogate.test(value))) return value
    } catch {
      // JsonFault finds the fault and its position.
    }
    throw this.fault(faultInString(text, start))
  }

  private number(): number | bigint | Decimal {
    number.lastIndex = this.at
    const [literal = "", fraction, exponent] = number.exec(this.text) ?? []
    const next = this.text.charAt(this.at + literal.length)
    const broken = exponent === undefined && (fraction === undefined ? /[0-9.eE]/ : /[eE]/).test(next)
    if (literal === "" || broken) throw this.fault(faultInNumber(this.text, this.at))
    this.at += literal.length
    if (fraction !== undefined || exponent !== undefined || literal.length > longestInteger) {
      return Symbol(literal)
    }
    const value = Number(literal)
    return Number.isSafeInteger(value) ? value + 0 : BigInt(literal)
  }

  private literal<A>(word: string, value: A): A {
    if (!this.text.startsWith(word, this.at)) throw this.fault(faultInWord(this.text, this.at, word))
    this.at += word.length
    return value
  }

  /** Skips white space. Returns the code unit after it, or -1 at the end of the text. */
  private space(): number {
    const { text } = this
    while (this.at < text.length) {
      const code = text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code
      this.at += 1
    }
    return -1
  }

  private error(reason: string, at = this.at): JsonError {
    return this.fault({ at, reason })
  }

  private fault({ at, reason }: Fault): JsonError {
    return new JsonError(`${reason} ${position(this.text, at)}`)
  }
}

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** A fault and its position. */
interface Fault {
  /** Index of the code unit that is not allowed; the length of the text for its end. */
  readonly at: number
  readonly reason: string
}

/** The position as text: lines count from 1, columns are bytes of the line up to and including the fault. */
export const position = (text: string, at: number): string => {
  const upTo = text.slice(0, at + 1)
  const lineStart = upTo.lastIndexOf("\n") + 1
  const line = upTo.slice(0, lineStart).split("\n").length
  return `at line ${line} column ${utf8Length(upTo.slice(lineStart))}`
}

/** The fault in the string whose content begins at `start`. */
const faultInString = (text: string, start: number): Fault => {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x20) return { at, reason: "control character (\\u0000-\\u001F) found while parsing a string" }
    if (code === 0x22) return { at, reason: loneSurrogateText }
    if (code !== 0x5c) continue
    at += 1
    const escape = text.charAt(at)
    if (escape === "u") {
      const fault = inUnicodeEscape(text, at + 1)
      if (fault !== undefined) return fault
    } else if (escape !== "" && !'"\\/bfnrt'.includes(escape)) return { at, reason: "invalid escape" }
  }
  return { at: text.length, reason: "EOF while parsing a string" }
}

/** The fault in the number that begins at `start`. */
const faultInNumber = (text: string, start: number): Fault => {
  possible.lastIndex = start
  const at = start + (possible.exec(text)?.[0].length ?? 0)
  return { at, reason: at < text.length ? "invalid number" : "EOF while parsing a value" }
}

/** The fault in the literal that begins at `start` and should be `word`. */
const faultInWord = (text: string, start: number, word: string): Fault => {
  let at = start
  while (at < text.length && text[at] === word[at - start]) at += 1
  return { at, reason: at < text.length ? "expected ident" : "EOF while parsing a value" }
}

/** Matches the longest valid beginning of a number. */
const possible = /-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+(?:[eE][+-]?)?)?|[eE][+-]?)?)?/y

const loneSurrogateText = "lone leading surrogate in hex escape"

/** The fault in a `\u` escape whose digits begin at `at`; a leading surrogate must be followed by a trailing one. */
const inUnicodeEscape = (text: string, at: number): Fault | undefined => {
  const first = inHexDigits(text, at)
  if (typeof first !== "number") return first
  if (first >= 0xdc00 && first <= 0xdfff) return { at: at + 3, reason: loneSurrogateText }
  if (first < 0xd800 || first > 0xdbff) return undefined
  for (const [offset, wanted] of [
    [4, "\\"],
    [5, "u"],
  ] as const) {
    if (at + offset >= text.length) return { at: text.length, reason: "EOF while parsing a string" }
    if (text[at + offset] !== wanted) return { at: at + offset, reason: "unexpected end of hex escape" }
  }
  const second = inHexDigits(text, at + 6)
  if (typeof second !== "number") return second
  return second >= 0xdc00 && second <= 0xdfff ? undefined : { at: at + 9, reason: loneSurrogateText }
}

const inHexDigits = (text: string, at: number): number | Fault => {
  if (at + 4 > text.length) return { at: text.length, reason: "EOF while parsing a string" }
  const digits = text.slice(at, at + 4)
  return /^[0-9A-Fa-f]{4}$/.test(digits)
    ? Number.parseInt(digits, 16)
    : { at: at + 3, reason: "invalid escape" }
}

const utf8Length = (text: string): number => {
  let length = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return length
}
