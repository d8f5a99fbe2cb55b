/**
 * Fields of a struct that may be absent, by name and by position.
 *
 * A struct may be an array of its fields in their order. There a field that may be null has to be given, unless it is
 * `omittable`; another one that may be absent may be left out at the end.
 */
import {
  Fault,
  type Any,
  boolean,
  type Field,
  nullOr,
  type NullOr,
  type Position,
  type Presence,
} from "./Shape.ts"

/** A field that may be absent. */
export interface Optional<S extends Any> extends Field<
  S["Type"] | undefined,
  S["Encoded"] | undefined,
  "optional"
> {}

/** A field that may be absent, and is never undefined. */
export interface ExactOptional<S extends Any> extends Field<S["Type"], S["Encoded"], "optional"> {}

/** A field that a reader fills in. */
export interface WithDefault<S extends Any> extends Field<S["Type"], S["Encoded"] | undefined, "default"> {}

const make = <F>(shape: Any, position: Position, more: Partial<Field<unknown, unknown, Presence>> = {}): F =>
  ({ presence: "optional", shape, read: shape.read, position, ...more }) as F

/** A field that may be absent, by default also at the end of an array. */
export const optional = <S extends Any>(shape: S, position: Position = "omittable"): Optional<S> =>
  make(shape, position)

/** A field that may be absent, and is never undefined. */
export const exactOptional = <S extends Any>(shape: S): ExactOptional<S> => make(shape, "omittable")

/** A field that may be null or absent. */
export const nullable = <S extends Any>(shape: S): Optional<NullOr<S>> => make(nullOr(shape), "required")

/** A field that may be null or absent, and that an array of the fields may end before. */
export const omittable = <S extends Any>(shape: S): Optional<NullOr<S>> => make(nullOr(shape), "omittable")

/** A field beyond those of the peer implementation: it may be null or absent, and is passed by name only. */
export const beyond = <S extends Any>(shape: S, needs?: string): Optional<NullOr<S>> =>
  make(nullOr(shape), "none", { needs })

/** The same, and a value that does not read is taken as absent: clients of the peer may send any. */
export const ignorable = <S extends Any>(shape: S): Optional<NullOr<S>> => {
  const either = nullOr(shape)
  return make(either, "none", {
    read: (json, reading) => {
      const depth = reading.path.length
      try {
        return either.read(json, reading)
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault
        reading.path.length = depth
        return undefined
      }
    },
  })
}

/** A field that may be absent, for which readers then have another value. */
export const withDefault = <S extends Any>(shape: S, absent: () => S["Type"]): WithDefault<S> =>
  make(shape, "omittable", { presence: "default", absent })

/** True or false; false if absent. Not null. */
export const flag = withDefault(boolean, () => false)
