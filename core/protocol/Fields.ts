/**
 * How the fields of params may be absent, by name and by position.
 *
 * Params, and every object in them, may be an array of the fields in their order (see `decoding/Serde`). There a field
 * that may be null has to be given, unless it is `omittable`; a field with a default may be left out at the end.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { Position, Read } from "./decoding/Serde.ts"
import { lazy } from "./Lazy.ts"

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
export const flag = lazy(() => Schema.optionalWith(Schema.Boolean, { default: () => false }))

const reading = Symbol.for("procwire/protocol/Fields/Read")

/** Annotates a schema with the reader of its values in params, which stands in for the schema itself. */
export const readBy = (read: Read) => ({ [reading]: read })

/** The reader of the values of an annotated schema. */
export const readerOf = ({ annotations }: SchemaAST.Annotated): Read | undefined =>
  annotations[reading] as Read | undefined

/** The position that a field was annotated with. */
export const positionOf = ({ annotations }: SchemaAST.Annotated): Position | undefined =>
  annotations[annotation] as Position | undefined
