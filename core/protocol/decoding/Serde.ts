/**
 * The forms of JSON that the peer implementation takes and sends, and its words for what is wrong. They are those of
 * serde, a library of Rust, and the same for every method: a struct may be an array of its fields, a word may be an
 * object with one member. Nothing here needs a schema: a client for the web decodes by these alone.
 */
import * as Either from "effect/Either"
import { fromBase64 } from "../Bytes.ts"
import { decimalText, describe, isDecimal, isObject, type Json } from "../Json.ts"

/**
 * The value is not what the schema wants. `message` is the text for the client, without the field; with `whole` the
 * field is not added.
 */
export class Fault extends Error {
  readonly whole: boolean

  constructor(message: string, whole = false) {
    super(message)
    this.whole = whole
  }
}

/** One decoding on its way through a value. After a fault it shows where that is. */
export interface Reading {
  /** The fields and indexes that lead to the current value. */
  readonly path: Array<string>
  /**
   * True inside of a tagged choice. There the peer implementation has a value before it knows its type: numbers have
   * names of their own, and tags may be indexes.
   */
  buffered: boolean
  /** The platform of the host. */
  readonly platform: string
}

/** Decodes a value by the schema that it was made for. Throws `Fault`. */
export type Read = (json: Json, reading: Reading) => unknown

/** Decodes a value that is a member of another. */
export const member = (name: string, read: Read, json: Json, reading: Reading): unknown => {
  reading.path.push(name)
  const value = read(json, reading)
  reading.path.pop()
  return value
}

/** The type of a value in the words of the peer implementation where it tells numbers apart. */
export const describeExactly = (json: Json): string => {
  if (isDecimal(json)) return `floating point \`${decimalText(json)}\``
  return typeof json === "number" || typeof json === "bigint" ? `integer \`${json}\`` : describe(json)
}

/** The fault of a value of another type. */
export const wrongType = (json: Json, expected: string, { buffered }: Pick<Reading, "buffered">): Fault =>
  new Fault(`invalid type: ${buffered ? describeExactly(json) : describe(json)}, expected ${expected}`)

/** `1 element`, `2 elements` */
export const elements = (count: number): string => `${count} element${count === 1 ? "" : "s"}`

/** The fault of a sequence of more elements than there are fields. */
export const tooLong = (length: number, most: number, { buffered }: Reading): Fault =>
  new Fault(
    `invalid length ${length}, expected ${buffered ? `${elements(most)} in sequence` : "fewer elements in array"}`,
  )

/**
 * Reads one value. Left is the text of the first fault, with the field unless `located` is false. `platform` is that of
 * the host, by which paths are judged: `linux`, `macos`, `windows`.
 */
export const run = <A>(
  read: Read,
  json: Json,
  { located = true, platform = "this host" } = {},
): Either.Either<A, string> => {
  const reading: Reading = { path: [], buffered: false, platform }
  try {
    return Either.right(read(json, reading) as A)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const complete = !located || error.whole
    return Either.left(complete ? error.message : withField(error.message, reading.path))
  }
}

const withField = (message: string, path: ReadonlyArray<string>): string => {
  if (path.length === 0) return message
  const field = path.join(".")
  return message.startsWith("missing field")
    ? `${message} of \`${field}\``
    : `${message} (field \`${field}\`)`
}

/** A text. */
export const string: Read = (json, reading) => {
  if (typeof json === "string") return json
  throw wrongType(json, "a string", reading)
}

/** Why a text is refused on a platform (`linux`, `macos`, `windows`), in words that need no field beside them. */
export type Judge = (text: string, platform: string) => string | undefined

/** A text of which a fault says everything, so that it does not name the field. */
export const text =
  (judge: Judge): Read =>
  (json, reading) => {
    if (typeof json !== "string") throw wrongType(json, "a string", reading)
    const fault = judge(json, reading.platform)
    if (fault !== undefined) throw new Fault(fault, true)
    return json
  }

/** True or false. */
export const boolean: Read = (json, reading) => {
  if (typeof json === "boolean") return json
  throw wrongType(json, "a boolean", reading)
}

/** The same value, or null. */
export const nullable =
  (read: Read): Read =>
  (json, reading) =>
    json === null ? null : read(json, reading)

/** True for a whole number in these bounds, which JSON had without a fraction and an exponent. */
export const isWhole = (value: unknown, least: bigint, most: bigint): value is number | bigint =>
  (typeof value === "bigint" || Number.isSafeInteger(value)) &&
  (value as number | bigint) >= least &&
  (value as number | bigint) <= most

/** True for any number of JSON. */
export const isNumber = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "bigint" || isDecimal(value)

/** The fault of a number inside of a tagged choice, where another is expected. */
export const wrongNumber = (json: Json, expected: string): Fault =>
  new Fault(`invalid ${isDecimal(json) ? "type" : "value"}: ${describeExactly(json)}, expected ${expected}`)

/** A whole number; one above 2^53 is rounded to a double, unless `convert` is another. `name` is what a fault expects. */
export const whole =
  (name: string, least: bigint, most: bigint, convert: (value: number | bigint) => unknown = Number): Read =>
  (json, { buffered }) => {
    if (isWhole(json, least, most)) return convert(json)
    if (!isNumber(json)) throw new Fault(`invalid type: ${describe(json)}, expected ${name}`)
    throw buffered ? wrongNumber(json, name) : new Fault("invalid number")
  }

/** Bytes that a text has as base64. */
export const base64: Read = (json) => {
  if (typeof json !== "string") throw new Fault(`invalid type: ${describe(json)}, expected a string`)
  const bytes = fromBase64(json)
  if (Either.isRight(bytes)) return bytes.right
  throw new Fault(bytes.left)
}

/** A list of values. */
export const sequence =
  (read: Read): Read =>
  (json, reading) => {
    if (!Array.isArray(json)) throw wrongType(json, "a sequence", reading)
    const values: ReadonlyArray<Json> = json
    return values.map((value, index) => member(String(index), read, value, reading))
  }

/** An object with any keys. */
export const map =
  (read: Read): Read =>
  (json, reading) => {
    if (!isObject(json)) throw wrongType(json, "a map", reading)
    const entries = Object.entries(json)
    return Object.fromEntries(entries.map(([key, value]) => [key, member(key, read, value, reading)]))
  }

/** The same value, or undefined for one that does not decode. */
export const orAbsent =
  (read: Read): Read =>
  (json, reading) => {
    const depth = reading.path.length
    try {
      return read(json, reading)
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault
      reading.path.length = depth
      return undefined
    }
  }

/** The presence of a field in an array of the fields: always, unless the array ends before, or never. */
export type Position = "required" | "omittable" | "none"

/** A field of a struct. */
export interface Field {
  readonly name: string
  readonly read: Read
  readonly position: Position
  /** True if an object may lack it. */
  readonly optional: boolean
  /** What the decoded struct has in place of an absent field. */
  readonly absent?: (() => unknown) | undefined
}

/** A field that has to be there. */
export const mandatory = (name: string, read: Read): Field => ({
  name,
  read,
  position: "required",
  optional: false,
})

/** A field that may be absent, and that an array of the fields may end before. */
export const omittable = (name: string, read: Read, absent?: () => unknown): Field => ({
  name,
  read,
  position: "omittable",
  optional: true,
  absent,
})

/**
 * Decodes a struct: an object with its fields, or an array of the fields in the order of declaration. `name` is what a
 * value of another type is told to be expected.
 *
 * Fields of an object are decoded in the order in which they came, then missing ones are found; unknown ones are
 * ignored. So the fault that is told is the one that the peer implementation tells.
 */
export const struct = (name: string, fields: ReadonlyArray<Field>): Read => {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const placed = fields.filter(({ position }) => position !== "none")
  return (json, reading) => {
    if (Array.isArray(json)) return fromArray(json, name, placed, fields, reading)
    if (!isObject(json)) throw wrongType(json, name, reading)
    const decoded: Record<string, unknown> = {}
    for (const key in json) {
      const field = byName.get(key)
      if (field !== undefined) decoded[key] = member(key, field.read, json[key] ?? null, reading)
    }
    for (const field of fields) {
      if (Object.hasOwn(json, field.name)) continue
      if (!field.optional) throw missing(field.name)
      if (field.absent !== undefined) decoded[field.name] = field.absent()
    }
    return decoded
  }
}

/** The fault of an object without a field. */
export const missing = (name: string): Fault => new Fault(`missing field \`${name}\``)

const fromArray = (
  values: ReadonlyArray<Json>,
  name: string,
  placed: ReadonlyArray<Field>,
  fields: ReadonlyArray<Field>,
  reading: Reading,
): Record<string, unknown> => {
  const decoded: Record<string, unknown> = {}
  for (const [index, field] of placed.entries()) {
    if (index < values.length)
      decoded[field.name] = member(field.name, field.read, values[index] ?? null, reading)
    else if (field.position === "required")
      throw new Fault(`invalid length ${index}, expected ${name} with ${elements(placed.length)}`)
  }
  if (values.length > placed.length) throw tooLong(values.length, placed.length, reading)
  for (const { name: field, absent } of fields)
    if (absent !== undefined && !Object.hasOwn(decoded, field)) decoded[field] = absent()
  return decoded
}

// Choices: between words, and between structs that a tag tells apart. A word is a string, or an object whose only
// member has its name and the value null. A tagged struct is an object with its tag, or an array of the tag and the
// fields.

/** Reads a value that is none of the words of a choice, and still one of its values; undefined for another. */
export type Beside = (json: Json) => unknown

/** Decodes one of these words, or what is `beside` them. `told` are those that a fault names. */
export const word =
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
const list = (words: ReadonlyArray<string>): string => {
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
export const tagged = (name: string, tag: string, variants: ReadonlyArray<Variant>): Read => {
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
