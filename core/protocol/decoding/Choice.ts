/**
 * Choices: between words, and between structs that a tag tells apart.
 *
 * A word is a string, or an object whose only member has its name and the value null. A tagged struct is an object with
 * its tag, or an array of the tag and the fields.
 */
import type * as SchemaAST from "effect/SchemaAST"
import { isObject, type Json } from "../Json.ts"
import { describeExactly, Fault, member, type Read, type Reading, wrongType } from "./Reading.ts"
import { missing } from "./Struct.ts"

/** The words of a choice between words; empty for another schema. */
export const wordsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (ast._tag === "Literal") return typeof ast.literal === "string" ? [ast.literal] : []
  if (ast._tag !== "Union") return []
  const words = ast.types.map(wordsOf)
  return words.every(({ length }) => length > 0) ? words.flat() : []
}

/** Reads a value that is none of the words of a choice, and still one of its values; undefined for another. */
export type Beside = (json: Json) => unknown

/** Decodes one of these words, or what is `beside` them. `told` are those that a fault names. */
export const toWord =
  (words: ReadonlyArray<string>, told = words, beside: Beside = () => undefined): Read =>
  (json, reading) => {
    const other = beside(json)
    if (other !== undefined) return other
    if (typeof json === "string") return known(json, words, told)
    if (!isObject(json)) throw wrongType(json, "string or map", reading)
    const names = Object.keys(json)
    const [name] = names
    if (name === undefined || names.length > 1)
      throw new Fault("invalid value: map, expected map with a single key")
    const word = known(name, words, told)
    const value = json[name] ?? null
    const isUnit = value === null || (reading.buffered && isObject(value) && Object.keys(value).length === 0)
    if (!isUnit) throw wrongType(value, "unit", reading)
    return word
  }

const known = (word: string, words: ReadonlyArray<string>, told: ReadonlyArray<string>): string => {
  if (words.includes(word)) return word
  throw new Fault(`unknown variant \`${word}\`, expected ${list(told)}`)
}

/** `` `a` ``; `` `a` or `b` ``; `` one of `a`, `b`, `c` `` */
export const list = (words: ReadonlyArray<string>): string => {
  const quoted = words.map((word) => `\`${word}\``)
  return quoted.length > 2 ? `one of ${quoted.join(", ")}` : quoted.join(" or ")
}

/** One struct of a tagged choice. */
export interface Variant {
  /** The values of the tag that mean it. */
  readonly words: ReadonlyArray<string>
  /** Decodes what is there beside the tag. */
  readonly read: Read
}

/** Decodes a choice between structs by the value of their field `tag`. */
export const toTagged = (name: string, tag: string, variants: ReadonlyArray<Variant>): Read => {
  const words = variants.flatMap((variant) => variant.words)
  return (json, reading) => {
    if (!Array.isArray(json) && !isObject(json))
      throw new Fault(`invalid type: ${describeExactly(json)}, expected internally tagged enum ${name}`)
    const [found, rest] = Array.isArray(json) ? [json[0], json.slice(1)] : [json[tag], json]
    if (found === undefined) throw missing(tag)
    const word = member(tag, (value) => toTag(value, words, variants, reading), found, reading)
    const variant = variants.find(({ words }) => words.some((one) => one === word))
    const { buffered } = reading
    reading.buffered = true
    const struct = variant?.read(rest, reading)
    reading.buffered = buffered
    return Object.assign({ [tag]: word }, struct)
  }
}

const toTag = (
  json: Json,
  words: ReadonlyArray<string>,
  variants: ReadonlyArray<Variant>,
  reading: Reading,
): string => {
  if (typeof json === "string") return known(json, words, words)
  if (!reading.buffered || typeof json !== "number" || json < 0)
    throw wrongType(json, "variant identifier", reading)
  const word = variants[json]?.words.at(-1)
  if (word !== undefined) return word
  throw new Fault(`invalid value: integer \`${json}\`, expected variant index 0 <= i < ${variants.length}`)
}
