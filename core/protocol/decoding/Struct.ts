/**
 * Structs: an object with their fields, or an array of the fields in the order of declaration.
 *
 * Fields of an object are decoded in the order in which they came, then missing ones are found; unknown ones are
 * ignored. So the fault that is told is the one that the peer implementation tells.
 */
import * as Option from "effect/Option"
import type * as SchemaAST from "effect/SchemaAST"
import { isObject, type Json } from "../Json.ts"
import { isIgnorable, type Position, positionOf } from "../Fields.ts"
import { elements, Fault, member, type Read, type Reading, tooLong, wrongType } from "./Reading.ts"

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

/** The fields of a struct; undefined for another schema. */
export const fieldsOf = (
  ast: SchemaAST.AST,
  toRead: (ast: SchemaAST.AST) => Read,
): ReadonlyArray<Field> | undefined => {
  if (ast._tag === "TypeLiteral" && ast.indexSignatures.length === 0)
    return ast.propertySignatures.map((field) => toField(field, toRead, undefined, positionOf(field)))
  if (ast._tag !== "Transformation" || ast.from._tag !== "TypeLiteral" || ast.to._tag !== "TypeLiteral")
    return undefined
  if (ast.transformation._tag !== "TypeLiteralTransformation") return undefined
  const defaults = ast.transformation.propertySignatureTransformations
  const decoded = ast.to.propertySignatures
  return ast.from.propertySignatures.map((field) => {
    const toDefault = defaults.find(({ from }) => from === field.name)?.decode
    const absent = toDefault && (() => Option.getOrUndefined(toDefault(Option.none())))
    const annotated = decoded.find(({ name }) => name === field.name)
    return toField(field, toRead, absent, annotated && positionOf(annotated))
  })
}

const toField = (
  field: SchemaAST.PropertySignature,
  toRead: (ast: SchemaAST.AST) => Read,
  absent: Field["absent"],
  position: Position | undefined,
): Field => {
  const { name, type, isOptional } = field
  const read = toRead(type)
  return {
    name: String(name),
    read: isIgnorable(field) ? orAbsent(read) : read,
    position: position ?? (isOptional && !takesNull(type) ? "omittable" : "required"),
    optional: isOptional,
    absent,
  }
}

const orAbsent =
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

/** True for a choice that has null. */
export const takesNull = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Union" ? ast.types.some(takesNull) : ast._tag === "Literal" && ast.literal === null

/** Decodes a struct. `name` is what a value of another type is told to be expected. */
export const toRead = (name: string, fields: ReadonlyArray<Field>): Read => {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const placed = fields.filter(({ position }) => position !== "none")
  return (json, reading) => {
    if (Array.isArray(json)) return fromArray(json, name, placed, fields, reading)
    if (!isObject(json)) throw wrongType(json, name, reading)
    const struct: Record<string, unknown> = {}
    for (const key in json) {
      const field = byName.get(key)
      if (field !== undefined) struct[key] = member(key, field.read, json[key] ?? null, reading)
    }
    for (const field of fields) {
      if (Object.hasOwn(json, field.name)) continue
      if (!field.optional) throw missing(field.name)
      if (field.absent !== undefined) struct[field.name] = field.absent()
    }
    return struct
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
  const struct: Record<string, unknown> = {}
  for (const [index, field] of placed.entries()) {
    if (index < values.length)
      struct[field.name] = member(field.name, field.read, values[index] ?? null, reading)
    else if (field.position === "required")
      throw new Fault(`invalid length ${index}, expected ${name} with ${elements(placed.length)}`)
  }
  if (values.length > placed.length) throw tooLong(values.length, placed.length, reading)
  for (const { name: field, absent } of fields)
    if (absent !== undefined && !Object.hasOwn(struct, field)) struct[field] = absent()
  return struct
}
