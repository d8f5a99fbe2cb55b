/** The fields of structs, from their schemas. */
import * as Option from "effect/Option"
import type * as SchemaAST from "effect/SchemaAST"
import { isIgnorable, type Position, positionOf } from "../Fields.ts"
import { Fault, type Read } from "./Reading.ts"
import type { Field } from "./Struct.ts"

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
