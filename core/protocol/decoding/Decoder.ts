/**
 * Decodes JSON by a schema in every form that the peer implementation takes, with its words for what is wrong.
 *
 * Its forms are those of serde, a library of Rust, and they are the same for every method: a struct may be an array of
 * its fields, a word may be an object with one member (see `Serde`). The first fault ends the decoding; its
 * text names the field, where the peer leaves it out.
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { Base64 } from "../Base64.ts"
import { fromBase64 } from "../Bytes.ts"
import * as DecodeError from "../DecodeError.ts"
import { isIgnorable, type Judge, judgeOf, type Position, positionOf } from "../Fields.ts"
import { isDecimal, isObject, type Json } from "../Json.ts"
import * as Serde from "./Serde.ts"
import { describeExactly, Fault, member, missing, type Read, type Reading, run, wrongType } from "./Serde.ts"

/**
 * Decodes one value. Left is the text of the first fault, in one line, with the field. `platform` is that of the host,
 * by which paths are judged: `linux`, `macos`, `windows`.
 */
export type Decode<A> = (json: Json, platform?: string) => Either.Either<A, string>

/** The decoder of a schema, which is read when the first value is. */
export const make = <A, I>(schema: Schema.Schema<A, I>): Decode<A> => {
  let read: Read | undefined
  return (json, platform) => run<A>((read ??= toRead(schema.ast)), json, { platform })
}

const toRead = (ast: SchemaAST.AST): Read => {
  const name = Option.getOrElse(SchemaAST.getIdentifierAnnotation(ast), () => "")
  const words = wordsOf(ast)
  if (words.length > 0) return toWord(words, toldOf(ast), besideOf(ast))
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
      return sequence(ast)
    case "TypeLiteral":
      return map(ast)
    case "Union":
      return union(ast, name)
    default:
      return leaf(ast, name)
  }
}

const toldWords = Symbol.for("procwire/protocol/decoding/Decoder/told")

/** Annotates a choice between words with those that a fault names, if not all. */
export const told = (words: ReadonlyArray<string>) => ({ [toldWords]: words })

const toldOf = ({ annotations }: SchemaAST.Annotated) =>
  annotations[toldWords] as ReadonlyArray<string> | undefined

const besideWords = Symbol.for("procwire/protocol/decoding/Decoder/beside")

/** Annotates a choice between words with what reads its other values. */
export const beside = (read: Beside) => ({ [besideWords]: read })

const besideOf = ({ annotations }: SchemaAST.Annotated) => annotations[besideWords] as Beside | undefined

const sequence = ({ rest: [element] }: SchemaAST.TupleType): Read => {
  const read = element === undefined ? (json: Json) => json : toRead(element.type)
  return (json, reading) => {
    if (!Array.isArray(json)) throw wrongType(json, "a sequence", reading)
    const values: ReadonlyArray<Json> = json
    return values.map((value, index) => member(String(index), read, value, reading))
  }
}

const map = ({ indexSignatures: [signature] }: SchemaAST.TypeLiteral): Read => {
  const read = signature === undefined ? (json: Json) => json : toRead(signature.type)
  return (json, reading) => {
    if (!isObject(json)) throw wrongType(json, "a map", reading)
    const entries = Object.entries(json)
    return Object.fromEntries(entries.map(([key, value]) => [key, member(key, read, value, reading)]))
  }
}

/** A value that may be null or absent, or a choice between tagged structs. */
const union = (ast: SchemaAST.Union, name: string): Read => {
  const types = ast.types.filter((type) => type._tag !== "UndefinedKeyword" && !isNull(type))
  const [type] = types
  if (type !== undefined && types.length === 1) {
    const read = toRead(type)
    return ast.types.some(isNull) ? Serde.nullable(read) : read
  }
  const tag = type?._tag === "TypeLiteral" ? String(type.propertySignatures[0]?.name) : ""
  return toTagged(name, tag, types.map(variant))
}

const isNull = (ast: SchemaAST.AST): boolean => ast._tag === "Literal" && ast.literal === null

/** A struct of a tagged choice; the tag is its first field, and its title is what a fault calls it. */
const variant = (ast: SchemaAST.AST): Variant => {
  const [tag, ...fields] = fieldsOf(ast) ?? []
  const type = ast._tag === "TypeLiteral" ? ast.propertySignatures[0]?.type : undefined
  if (tag === undefined || type === undefined)
    throw new Error("a tagged choice is between structs with a tag")
  const title = Option.getOrElse(SchemaAST.getTitleAnnotation(ast), () => "")
  return { words: wordsOf(type), read: Serde.struct(`struct variant ${title}`, fields) }
}

/** A text of which a fault says everything, so that it does not name the field. */
const text =
  (judge: Judge): Read =>
  (json, reading) => {
    if (typeof json !== "string") throw wrongType(json, "a string", reading)
    const fault = judge(json, reading.platform)
    if (fault !== undefined) throw new Fault(fault, true)
    return json
  }

/** A value that is decoded as a whole: an integer, base64, or whatever else a schema checks. */
const leaf = (ast: SchemaAST.AST, name: string): Read => {
  const judge = judgeOf(ast)
  if (judge !== undefined) return text(judge)
  const decode = ParseResult.decodeUnknownEither(Schema.make(ast))
  const takesBytes = ast === Base64.ast
  return (json: unknown, reading) => {
    if (takesBytes && json instanceof Uint8Array) return json // of a `CutText`
    const bytes = takesBytes && typeof json === "string" ? fromBase64(json) : undefined
    if (bytes !== undefined && Either.isRight(bytes)) return bytes.right
    const decoded = decode(json)
    if (Either.isRight(decoded)) return decoded.right
    if (reading.buffered && (isDecimal(json) || typeof json === "number" || typeof json === "bigint"))
      throw new Fault(
        `invalid ${isDecimal(json) ? "type" : "value"}: ${describeExactly(json)}, expected ${name}`,
      )
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
const takesNull = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Union" ? ast.types.some(takesNull) : ast._tag === "Literal" && ast.literal === null

// Choices: between words, and between structs that a tag tells apart. A word is a string, or an object whose only
// member has its name and the value null. A tagged struct is an object with its tag, or an array of the tag and the
// fields.

/** The words of a choice between words; empty for another schema. */
const wordsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (ast._tag === "Literal") return typeof ast.literal === "string" ? [ast.literal] : []
  if (ast._tag !== "Union") return []
  const words = ast.types.map(wordsOf)
  return words.every(({ length }) => length > 0) ? words.flat() : []
}

/** Reads a value that is none of the words of a choice, and still one of its values; undefined for another. */
export type Beside = (json: Json) => unknown

/** Decodes one of these words, or what is `beside` them. `told` are those that a fault names. */
const toWord =
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
interface Variant {
  /** The values of the tag that mean it. */
  readonly words: ReadonlyArray<string>
  /** Decodes what is there beside the tag. */
  readonly read: Read
}

/** Decodes a choice between structs by the value of their field `tag`. */
const toTagged = (name: string, tag: string, variants: ReadonlyArray<Variant>): Read => {
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
