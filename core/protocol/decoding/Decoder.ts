/**
 * Decodes JSON by a schema in every form that the peer implementation takes, with its words for what is wrong.
 *
 * Its forms are those of serde, a library of Rust, and they are the same for every method: a struct may be an array of
 * its fields (`Struct`), a word may be an object with one member (`Choice`). The first fault ends the decoding; its
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
import { type Judge, judgeOf } from "../Fields.ts"
import { isDecimal, isObject, type Json } from "../Json.ts"
import * as Choice from "./Choice.ts"
import * as Leaf from "./Leaf.ts"
import { describeExactly, Fault, member, type Read, run, wrongType } from "./Reading.ts"
import * as SchemaFields from "./SchemaFields.ts"
import * as Struct from "./Struct.ts"

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
  const words = Choice.wordsOf(ast)
  if (words.length > 0) return Choice.toWord(words, toldOf(ast), besideOf(ast))
  const fields = SchemaFields.fieldsOf(ast, toRead)
  if (fields !== undefined) return Struct.toRead(`struct ${name}`.trimEnd(), fields)
  switch (ast._tag) {
    case "StringKeyword":
      return Leaf.string
    case "BooleanKeyword":
      return Leaf.boolean
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
export const beside = (read: Choice.Beside) => ({ [besideWords]: read })

const besideOf = ({ annotations }: SchemaAST.Annotated) =>
  annotations[besideWords] as Choice.Beside | undefined

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
    return ast.types.some(isNull) ? Leaf.nullable(read) : read
  }
  const tag = type?._tag === "TypeLiteral" ? String(type.propertySignatures[0]?.name) : ""
  return Choice.toTagged(name, tag, types.map(variant))
}

const isNull = (ast: SchemaAST.AST): boolean => ast._tag === "Literal" && ast.literal === null

/** A struct of a tagged choice; the tag is its first field, and its title is what a fault calls it. */
const variant = (ast: SchemaAST.AST): Choice.Variant => {
  const [tag, ...fields] = SchemaFields.fieldsOf(ast, toRead) ?? []
  const type = ast._tag === "TypeLiteral" ? ast.propertySignatures[0]?.type : undefined
  if (tag === undefined || type === undefined)
    throw new Error("a tagged choice is between structs with a tag")
  const title = Option.getOrElse(SchemaAST.getTitleAnnotation(ast), () => "")
  return { words: Choice.wordsOf(type), read: Struct.toRead(`struct variant ${title}`, fields) }
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
