/**
 * JSON Schema (2020-12) of what is on the wire, from the schemas of the table.
 *
 * Structs and choices with a name become definitions; everything else is written where it is used. The schema tells the
 * form that a client should write: the server takes others, too (see `decoding/Decoder`). Unknown members are allowed
 * everywhere, because both sides ignore them.
 */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** A JSON Schema, or a part of one. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The schemas with names, by their names. */
export type Definitions = Map<string, JsonSchema>

/** The schema of a value on the wire; named ones below it are added to `definitions`, and referred to. */
export const of = ({ ast }: Pick<Schema.Schema<unknown>, "ast">, definitions: Definitions): JsonSchema =>
  shape(ast, definitions)

/** The name of the definition that a schema is; undefined for one without a name. */
export const nameOf = ({ $ref }: JsonSchema): string | undefined =>
  typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : undefined

const shape = (ast: SchemaAST.AST, definitions: Definitions): JsonSchema => {
  const name = definitionName(ast)
  if (name === undefined) return inline(ast, definitions)
  if (!definitions.has(name)) {
    definitions.set(name, {}) // its place, before those of what it refers to
    definitions.set(name, inline(ast, definitions))
  }
  return { $ref: `#/$defs/${name}` }
}

/** Of structs and choices: those of numbers and texts are the words of error texts. */
const definitionName = (ast: SchemaAST.AST): string | undefined => {
  const isNamed =
    ast._tag === "TypeLiteral" || ast._tag === "Union" || (ast._tag === "Transformation" && isStruct(ast))
  if (!isNamed) return undefined
  const title = Option.orElse(SchemaAST.getIdentifierAnnotation(ast), () => SchemaAST.getTitleAnnotation(ast))
  return Option.getOrUndefined(Option.map(title, (text) => text.replaceAll(/\W/g, "")))
}

const isStruct = ({ transformation }: SchemaAST.Transformation): boolean =>
  transformation._tag === "TypeLiteralTransformation"

const inline = (ast: SchemaAST.AST, definitions: Definitions): JsonSchema => {
  const annotated = Option.getOrUndefined(SchemaAST.getJSONSchemaAnnotation(ast)) as JsonSchema | undefined
  if (ast._tag === "Refinement") return { ...inline(ast.from, definitions), ...annotated }
  if (annotated !== undefined) return annotated
  switch (ast._tag) {
    case "StringKeyword":
      return { type: "string" }
    case "BooleanKeyword":
      return { type: "boolean" }
    case "NumberKeyword":
      return { type: "number" }
    case "Literal":
      return ast.literal === null ? { type: "null" } : { const: ast.literal }
    case "TupleType":
      return { type: "array", items: ast.rest[0] ? shape(ast.rest[0].type, definitions) : {} }
    case "TypeLiteral":
      return literal(ast, definitions)
    case "Union":
      return union(ast, definitions)
    case "Transformation":
      return isStruct(ast) ? withDefaults(ast, definitions) : inline(ast.from, definitions)
    default:
      return {}
  }
}

const literal = (ast: SchemaAST.TypeLiteral, definitions: Definitions): JsonSchema => {
  const [signature] = ast.indexSignatures
  if (signature !== undefined)
    return { type: "object", additionalProperties: shape(signature.type, definitions) }
  const fields = ast.propertySignatures
  const required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => String(name))
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(({ name, type }) => [name, shape(type, definitions)])),
    ...(required.length > 0 ? { required } : {}),
  }
}

/** A struct in which some absent fields have a value. */
const withDefaults = (ast: SchemaAST.Transformation, definitions: Definitions): JsonSchema => {
  const from = inline(ast.from, definitions)
  const properties: Record<string, JsonSchema> = { ...(from["properties"] as object) }
  if (ast.transformation._tag === "TypeLiteralTransformation") {
    for (const { from: name, decode } of ast.transformation.propertySignatureTransformations) {
      const absent = Option.getOrUndefined(decode(Option.none()))
      const field = String(name)
      if (absent !== undefined) properties[field] = { ...properties[field], default: absent }
    }
  }
  return { ...from, properties }
}

const union = ({ types }: SchemaAST.Union, definitions: Definitions): JsonSchema => {
  const present = types.filter(({ _tag }) => _tag !== "UndefinedKeyword")
  const words = present.map((type) => (type._tag === "Literal" ? type.literal : undefined))
  if (words.every((word) => typeof word === "string")) return { type: "string", enum: words }
  const shapes = present.map((type) => shape(type, definitions))
  const [only, ...more] = shapes
  if (only === undefined || more.length === 0) return only ?? {}
  const [nothing] = more
  const mayBeNull = more.length === 1 && nothing?.["type"] === "null"
  if (mayBeNull && typeof only["type"] === "string" && only["enum"] === undefined)
    return { ...only, type: [only["type"], "null"] }
  return { anyOf: shapes }
}
