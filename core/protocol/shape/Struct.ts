/**
 * Structs: objects with fields, and choices between structs that a tag tells apart.
 *
 * Fields of an object are read in the order in which they came, then missing ones are found; unknown ones are ignored.
 * So the fault is the one that the peer implementation reports. With `plain`, they are read in the order of
 * declaration.
 */
import type * as Types from "effect/Types"
import { isObject, type Json } from "../Json.ts"
import { type Optional, optional } from "./Fields.ts"
import {
  describeExactly,
  elements,
  Fault,
  member,
  missing,
  type Read,
  type Reading,
  wrongType,
  type Any,
  type Choice,
  knownWord,
  make,
  type Member,
  type Position,
  type Presence,
  type Shape,
} from "./Shape.ts"

/** The fields of a struct, by their names. */
export interface Fields {
  readonly [name: string]: Member
}

/** A struct with these fields. */
export interface Struct<F extends Fields> extends Shape<
  Types.Simplify<TypeOf<F>>,
  Types.Simplify<EncodedOf<F>>
> {
  /** Its fields, for structs that have them too. */
  readonly fields: F
}

/** The type of a struct with these fields. */
export type TypeOf<F extends Fields> =
  Types.UnionToIntersection<
    {
      [K in keyof F]: F[K] extends { readonly presence: "optional" }
        ? { readonly [H in K]?: F[H]["Type"] }
        : { readonly [h in K]: F[h]["Type"] }
    }[keyof F]
  > extends infer Q
    ? Q
    : never

/** The names of the fields that an object may lack. */
export type Lacking<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly presence: Presence } ? K : never
}[keyof F]

/** The type of a struct with these fields on the wire. */
export type EncodedOf<F extends Fields> = {
  readonly [K in keyof F as K extends Lacking<F> ? never : K]: F[K]["Encoded"]
} & { readonly [K in keyof F as K extends Lacking<F> ? K : never]?: F[K]["Encoded"] }

/** A field, as a reader and a writer need it. */
interface Known {
  readonly name: string
  readonly read: Read
  readonly write: ((value: never) => unknown) | undefined
  readonly position: Position
  readonly optional: boolean
  readonly absent: (() => unknown) | undefined
}

const known = ([name, field]: readonly [string, Member]): Known => {
  if ("form" in field) {
    const { read, write } = field
    return { name, read, write, position: "required", optional: false, absent: undefined }
  }
  const { read, shape, position, absent } = field
  return { name, read, write: shape.write, position, optional: true, absent }
}

/** A struct. `name` is what it is called in error texts and documents. */
export const struct = <F extends Fields>(name: string, fields: F): Struct<F> => {
  const all = Object.entries(fields).map(known)
  const write = (value: { readonly [name: string]: unknown }) => {
    const made: Record<string, unknown> = {}
    for (const { name, write } of all) {
      const member = value[name]
      if (member !== undefined) made[name] = write === undefined ? member : write(member as never)
    }
    return made
  }
  const shape = make(readStruct(`struct ${name}`.trimEnd(), all), { kind: "struct", name, fields }, write)
  return { ...shape, fields } as unknown as Struct<F>
}

/** A struct without fields. */
export const nothing = (name: string) => struct(name, {})

/** The same struct, each of whose fields may be absent. */
export const partial = <F extends { readonly [name: string]: Any }>(name: string, { fields }: Struct<F>) =>
  struct(
    name,
    Object.fromEntries(Object.entries(fields).map(([key, shape]) => [key, optional(shape)])) as {
      readonly [K in keyof F]: Optional<F[K]>
    },
  )

/** A fault of a value of another type names `title` as what was expected. */
const readStruct = (title: string, fields: ReadonlyArray<Known>): Read => {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return (json, reading) => {
    if (reading.plain) return readPlain(json, title, fields, reading)
    if (Array.isArray(json)) return readArray(json, title, fields, reading)
    if (!isObject(json)) throw wrongType(json, title, reading)
    const made: Record<string, unknown> = {}
    for (const key in json) {
      const field = byName.get(key)
      if (field !== undefined) made[key] = member(key, field.read, json[key] ?? null, reading)
    }
    for (const field of fields) {
      if (Object.hasOwn(json, field.name)) continue
      if (!field.optional) throw missing(field.name)
      if (field.absent !== undefined) made[field.name] = field.absent()
    }
    return made
  }
}

const readPlain = (json: Json, title: string, fields: ReadonlyArray<Known>, reading: Reading): unknown => {
  // A struct without fields has no members that tell it apart.
  if (fields.length === 0 && json !== null) return json
  if (!isObject(json)) throw wrongType(json, title, reading)
  const made: Record<string, unknown> = {}
  for (const { name, read, optional, absent } of fields) {
    const value = Object.hasOwn(json, name) ? json[name] : undefined
    if (value !== undefined) made[name] = member(name, read, value, reading)
    else if (!optional) throw missing(name)
    else if (absent !== undefined) made[name] = absent()
  }
  return made
}

const readArray = (
  values: ReadonlyArray<Json>,
  title: string,
  fields: ReadonlyArray<Known>,
  reading: Reading,
): unknown => {
  const placed = fields.filter(({ position }) => position !== "none")
  const most = placed.length
  const made: Record<string, unknown> = {}
  for (const [index, { name, read, position }] of placed.entries()) {
    if (index < values.length) made[name] = member(name, read, values[index] ?? null, reading)
    else if (position === "required")
      throw new Fault(`invalid length ${index}, expected ${title} with ${elements(most)}`)
  }
  if (values.length > most) {
    const expected = reading.buffered ? `${elements(most)} in sequence` : "fewer elements in array"
    throw new Fault(`invalid length ${values.length}, expected ${expected}`)
  }
  for (const { name, absent } of fields)
    if (absent !== undefined && !Object.hasOwn(made, name)) made[name] = absent()
  return made
}

/** One struct of a tagged choice. */
export interface AnyVariant extends Any {
  /** The name of the tag. */
  readonly tag: string
  /** The values of the tag that mean it. */
  readonly words: ReadonlyArray<string>
  /** Reads what is there beside the tag. */
  readonly readRest: Read
}

/** The same, with these fields. */
export interface Variant<F extends Fields> extends Struct<F>, Omit<AnyVariant, keyof Any> {}

/** A struct of a tagged choice, whose first field is the tag: words that mean it. */
export const variant = <F extends Fields>(title: string, fields: F): Variant<F> => {
  const [tag, ...rest] = Object.entries(fields)
  const form = tag !== undefined && "form" in tag[1] ? tag[1].form : undefined
  if (tag === undefined || form?.kind !== "words") throw new Error(`${title} does not begin with its tag`)
  const readRest = readStruct(`struct variant ${title}`, rest.map(known))
  return { ...struct(title, fields), tag: tag[0], words: form.words, readRest }
}

/**
 * A choice between structs by the value of their tag. If other forms are taken, it is an object with its tag, or an
 * array of the tag and the fields.
 */
export const tagged = <V extends ReadonlyArray<AnyVariant>>(name: string, ...variants: V): Choice<V> => {
  const tag = variants[0]?.tag ?? ""
  const words = variants.flatMap((variant) => variant.words)
  const read: Read = (json, reading) => {
    if (!Array.isArray(json) && !isObject(json))
      throw new Fault(`invalid type: ${describeExactly(json)}, expected internally tagged enum ${name}`)
    const [found, rest] = Array.isArray(json) ? [json[0], json.slice(1)] : [json[tag], json]
    if (found === undefined) throw missing(tag)
    const word = member(tag, (value) => toTag(value, words, variants, reading), found, reading)
    const variant = variants.find(({ words }) => words.some((one) => one === word))
    const { buffered } = reading
    reading.buffered = true
    const struct = variant?.readRest(rest, reading)
    reading.buffered = buffered
    return Object.assign({ [tag]: word }, struct)
  }
  return make<V[number]["Type"], V[number]["Encoded"]>(read, { kind: "choice", name, of: variants })
}

const toTag = (
  json: Json,
  words: ReadonlyArray<string>,
  variants: ReadonlyArray<AnyVariant>,
  reading: Reading,
): string => {
  if (typeof json === "string") return knownWord(json, words, words, reading)
  if (!reading.buffered || typeof json !== "number" || json < 0)
    throw wrongType(json, "variant identifier", reading)
  const word = variants[json]?.words.at(-1)
  if (word !== undefined) return word
  throw new Fault(`invalid value: integer \`${json}\`, expected variant index 0 <= i < ${variants.length}`)
}
