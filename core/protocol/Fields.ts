/**
 * How the fields of params may be absent, by name and by position.
 *
 * Params, and every object in them, may be an array of the fields in their order (see `decoding/Serde`). There a field
 * that may be null has to be given, unless it is `omittable`; a field with a default may be left out at the end.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { later } from "./Later.ts"

/** What an array of the fields has of a field: always, unless it ends before, or never. */
export type Position = "required" | "omittable" | "none"

const annotation = Symbol.for("procwire/protocol/Fields/Position")

/** Annotates a field that is `required` in an array although it may be absent in an object, or is never in it. */
export const at = (position: Position) => ({ [annotation]: position })

/** A field that may be null or absent. */
export const nullable = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** A field that may be null or absent, and that an array of the fields may end before. */
export const omittable = <A, I>(schema: Schema.Schema<A, I>) => nullable(schema).annotations(at("omittable"))

/** A field beyond those of the peer implementation: it may be null or absent, and is passed by name only. */
export const beyond = <A, I>(schema: Schema.Schema<A, I>) => nullable(schema).annotations(at("none"))

const ignoring = Symbol.for("procwire/protocol/Fields/Ignoring")

/** The same, and a value that does not decode is taken as absent: clients of the peer may send any. */
export const ignorable = <A, I>(schema: Schema.Schema<A, I>) =>
  nullable(schema).annotations({ ...at("none"), [ignoring]: true })

/** True for a field that is absent if its value does not decode. */
export const isIgnorable = ({ annotations }: SchemaAST.Annotated): boolean => annotations[ignoring] === true

/** True or false; false if absent. Not null. */
export const flag = later(() => Schema.optionalWith(Schema.Boolean, { default: () => false }))

/** Why a text is refused on a platform (`linux`, `macos`, `windows`), in words that need no field beside them. */
export type Judge = (text: string, platform: string) => string | undefined

const judging = Symbol.for("procwire/protocol/Fields/Judge")

/** Annotates a text that is judged while params are decoded. */
export const judgedBy = (judge: Judge) => ({ [judging]: judge })

/** How an annotated text is judged. */
export const judgeOf = ({ annotations }: SchemaAST.Annotated): Judge | undefined =>
  annotations[judging] as Judge | undefined

/** The position that a field was annotated with. */
export const positionOf = ({ annotations }: SchemaAST.Annotated): Position | undefined =>
  annotations[annotation] as Position | undefined
