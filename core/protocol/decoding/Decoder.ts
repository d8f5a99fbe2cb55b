/**
 * Compiles a schema into what decodes its values, in every form that the peer implementation takes and with its words
 * for what is wrong (see `Serde`). The first fault ends the decoding; its text names the field, where the peer leaves
 * it out.
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as DecodeError from "../DecodeError.ts"
import { isIgnorable, positionOf, readerOf } from "../Fields.ts"
import type { Json } from "../Json.ts"
import * as Serde from "./Serde.ts"
import { Fault, type Position, type Read, run } from "./Serde.ts"

/**
 * Decodes one value. Left is the text of the first fault, in one line, with the field. `platform` is that of the host,
 * by which paths are judged: `linux`, `macos`, `windows`.
 */
export type Decode<A> = (json: Json, platform?: string) => Either.Either<A, string>

/** The reader of the values of a schema, for `Serde.run`. */
export const read = <A, I>(schema: Schema.Schema<A, I>): Read => toRead(schema.ast)

/** The decoder of a schema, which is compiled when the first value comes. */
export const make = <A, I>(schema: Schema.Schema<A, I>): Decode<A> => {
  let read: Read | undefined
  return (json, platform) => run<A>((read ??= toRead(schema.ast)), json, { platform })
}

const toRead = (ast: SchemaAST.AST): Read => {
  const name = Option.getOrElse(SchemaAST.getIdentifierAnnotation(ast), () => "")
  const annotated = readerOf(ast)
  if (annotated !== undefined) return annotated
  const words = wordsOf(ast)
  if (words.length > 0) return Serde.word(words)
  const fields = fieldsOf(ast)
  if (fields !== undefined) return Serde.struct(`struct ${name}`.trimEnd(), fields)
  switch (ast._tag) {
    case "StringKeyword":
      return Serde.string
    case "BooleanKeyword":
      return Serde.boolean
    case "UnknownKeyword":
      return (json) => json
    case "TupleType":
      return Serde.sequence(toElement(ast.rest[0]))
    case "TypeLiteral":
      return Serde.map(toElement(ast.indexSignatures[0]))
    case "Union":
      return union(ast, name)
    default:
      return leaf(ast, name)
  }
}

const toElement = (element: { readonly type: SchemaAST.AST } | undefined): Read =>
  element === undefined ? (json) => json : toRead(element.type)

/** A value that may be null or absent, or a choice between tagged structs. */
const union = (ast: SchemaAST.Union, name: string): Read => {
  const types = ast.types.filter((type) => type._tag !== "UndefinedKeyword" && !isNull(type))
  const [type] = types
  if (type !== undefined && types.length === 1) {
    const read = toRead(type)
    return ast.types.some(isNull) ? Serde.nullable(read) : read
  }
  const tag = type?._tag === "TypeLiteral" ? String(type.propertySignatures[0]?.name) : ""
  return Serde.tagged(name, tag, types.map(variant))
}

const isNull = (ast: SchemaAST.AST): boolean => ast._tag === "Literal" && ast.literal === null

/** A struct of a tagged choice; the tag is its first field, and its title is what a fault calls it. */
const variant = (ast: SchemaAST.AST): Serde.Variant => {
  const [tag, ...fields] = fieldsOf(ast) ?? []
  const type = ast._tag === "TypeLiteral" ? ast.propertySignatures[0]?.type : undefined
  if (tag === undefined || type === undefined)
    throw new Error("a tagged choice is between structs with a tag")
  const title = Option.getOrElse(SchemaAST.getTitleAnnotation(ast), () => "")
  return { words: wordsOf(type), read: Serde.struct(`struct variant ${title}`, fields) }
}

/** A value that is decoded as a whole, by whatever its schema checks. */
const leaf = (ast: SchemaAST.AST, name: string): Read => {
  const decode = ParseResult.decodeUnknownEither(Schema.make(ast))
  return (json, reading) => {
    const decoded = decode(json)
    if (Either.isRight(decoded)) return decoded.right
    if (reading.buffered && Serde.isNumber(json)) throw Serde.wrongNumber(json, name)
    throw new Fault(DecodeError.toText(ParseResult.parseError(decoded.left)))
  }
}

/** The fields of a struct; undefined for another schema. */
const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<Serde.Field> | undefined => {
  if (ast._tag === "TypeLiteral" && ast.indexSignatures.length === 0)
    return ast.propertySignatures.map((field) => toField(field, undefined, positionOf(field)))
  if (ast._tag !== "Transformation" || ast.from._tag !== "TypeLiteral" || ast.to._tag !== "TypeLiteral")
    return undefined
  if (ast.transformation._tag !== "TypeLiteralTransformation") return undefined
  const defaults = ast.transformation.propertySignatureTransformations
  const decoded = ast.to.propertySignatures
  return ast.from.propertySignatures.map((field) => {
    const toDefault = defaults.find(({ from }) => from === field.name)?.decode
    const absent = toDefault && (() => Option.getOrUndefined(toDefault(Option.none())))
    const annotated = decoded.find(({ name }) => name === field.name)
    return toField(field, absent, annotated && positionOf(annotated))
  })
}

const toField = (
  field: SchemaAST.PropertySignature,
  absent: Serde.Field["absent"],
  position: Position | undefined,
): Serde.Field => {
  const { name, type, isOptional } = field
  const read = toRead(type)
  return {
    name: String(name),
    read: isIgnorable(field) ? Serde.orAbsent(read) : read,
    position: position ?? (isOptional && !takesNull(type) ? "omittable" : "required"),
    optional: isOptional,
    absent,
  }
}

/** True for a choice that has null. */
const takesNull = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Union" ? ast.types.some(takesNull) : isNull(ast)

/** The words of a choice between words; empty for another schema. */
const wordsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (ast._tag === "Literal") return typeof ast.literal === "string" ? [ast.literal] : []
  if (ast._tag !== "Union") return []
  const words = ast.types.map(wordsOf)
  return words.every(({ length }) => length > 0) ? words.flat() : []
}
