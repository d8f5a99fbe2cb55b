/**
 * Structs: an object with their fields, or an array of the fields in the order of declaration.
 *
 * Fields of an object are decoded in the order in which they came, then missing ones are found; unknown ones are
 * ignored. So the fault that is told is the one that the peer implementation tells.
 */
import type { Position } from "../Fields.ts"
import { isObject, type Json } from "../Json.ts"
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
