/**
 * A shape describes one type of values on the wire: it names the type, reads and writes its values, and has what the
 * documents say of it. Everything that is derived from the wire is derived from its shapes.
 *
 * Structs are in `Struct`, how their fields may be absent in `Fields`; the rest of the shapes are made here.
 */
import * as Result from "effect/Result"
import { fromBase64, toBase64 } from "../Bytes.ts"
import { describe, isDecimal, isObject, type Json, decimalText } from "../Json.ts"

/**
 * The value is not what was expected. `message` is the text for the client, without the field; with `whole` the field
 * is not added.
 */
export class Fault extends Error {
  /** True: `message` is the whole text, without the field. */
  readonly whole: boolean

  constructor(message: string, whole = false) {
    super(message)
    this.whole = whole
  }
}

/** One reading on its way through a value. After a fault it shows where that is. */
export interface Reading {
  /** The fields and indexes that lead to the current value. */
  readonly path: Array<string>
  /**
   * True inside of a tagged choice. There the peer implementation has a value before it knows its type: numbers have
   * names of their own, and tags may be indexes.
   */
  buffered: boolean
  /** The platform of the host. */
  readonly platform: string
  /** True if a struct is an object, and a word a text: no other form is taken. */
  readonly plain: boolean
}

/** Reads a value. Throws `Fault`. */
export type Read = (json: Json, reading: Reading) => unknown

/** Options of a reading. */
export interface Options {
  /** True if the text of a fault names the field; the default. */
  readonly located?: boolean
  /** The operating system of the host, by which paths are judged: `linux`, `macos`, `windows`. */
  readonly platform?: string | undefined
  /**
   * True to take the forms that servers send and nothing else. Otherwise also those that they take: a struct may be an
   * array of its fields in their order, a word an object with one member. The default is false.
   */
  readonly plain?: boolean
}

/** Reads one value. A failure is the text of the first fault, in one line. */
export const run = <A>(
  read: Read,
  json: Json,
  { located = true, platform = "this host", plain = false }: Options = {},
): Result.Result<A, string> => {
  const reading: Reading = { path: [], buffered: false, platform, plain }
  try {
    return Result.succeed(read(json, reading) as A)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const complete = !located || error.whole
    return Result.fail(complete ? error.message : withField(error.message, reading.path))
  }
}

const withField = (message: string, path: ReadonlyArray<string>): string => {
  if (path.length === 0) return message
  const field = path.join(".")
  return message.startsWith("missing field")
    ? `${message} of \`${field}\``
    : `${message} (field \`${field}\`)`
}

/** Reads a value that is a member of another. */
export const member = (name: string, read: Read, json: Json, reading: Reading): unknown => {
  reading.path.push(name)
  const value = read(json, reading)
  reading.path.pop()
  return value
}

/** The type of a value in the words of the peer implementation where it tells numbers apart. */
export const describeExactly = (json: Json): string => {
  if (isDecimal(json)) return `floating point \`${decimalText(json)}\``
  return typeof json === "number" || typeof json === "bigint" ? `integer \`${json}\`` : describe(json)
}

/** The fault of a value of another type. */
export const wrongType = (json: Json, expected: string, { buffered }: Pick<Reading, "buffered">): Fault =>
  new Fault(`invalid type: ${buffered ? describeExactly(json) : describe(json)}, expected ${expected}`)

/** The fault of an object without a field. */
export const missing = (name: string): Fault => new Fault(`missing field \`${name}\``)

/** `1 element`, `2 elements` */
export const elements = (count: number): string => `${count} element${count === 1 ? "" : "s"}`

/** A shape of values of the type `A`, which are `I` on the wire. */
export interface Shape<out A, out I = A> {
  /** The type of its values, for `typeof X.Type`; there is no such member. */
  readonly Type: A
  /** The type of its values on the wire, for `typeof X.Encoded`; there is no such member. */
  readonly Encoded: I
  /** Reads a value of JSON. */
  readonly read: Read
  /** Makes JSON of a value; undefined if it is JSON as it is. */
  readonly write: ((value: never) => unknown) | undefined
  /** Its parts. */
  readonly form: Form
}

/** The type of the values of a shape, or of a field. */
export type Type<S extends { readonly Type: unknown }> = S["Type"]

/** The type of the values of a shape, or of a field, on the wire. */
export type Encoded<S extends { readonly Encoded: unknown }> = S["Encoded"]

/** A shape of any type. */
export type Any = Shape<unknown, unknown>

/** The parts of a shape, for what derives from it. Those with a name are types of the documents. */
export type Form =
  | { readonly kind: "leaf"; readonly name?: string | undefined; readonly json: JsonSchema }
  | { readonly kind: "words"; readonly name?: string | undefined; readonly words: ReadonlyArray<string> }
  | { readonly kind: "list" | "map" | "nullOr"; readonly of: Any }
  | {
      readonly kind: "struct"
      readonly name: string
      readonly fields: { readonly [name: string]: Member }
      readonly description?: string
    }
  | { readonly kind: "choice"; readonly name?: string | undefined; readonly of: ReadonlyArray<Any> }

/** A field of a struct, or the shape of one that is always there. */
export type Member = Any | Field<unknown, unknown, Presence>

/** The substitute for a field that an object lacks: nothing, or a value that the reader fills in. */
export type Presence = "optional" | "default"

/** The presence of a field in an array of the fields: always, unless the array ends before, or never. */
export type Position = "required" | "omittable" | "none"

/** A field of a struct that an object may lack. */
export interface Field<out A, out I, out P extends Presence> {
  /** The type of its values, for the types of structs; there is no such member. */
  readonly Type: A
  /** The type of its values on the wire; there is no such member. */
  readonly Encoded: I
  /** Its substitute in a struct whose object lacks it. */
  readonly presence: P
  /** The shape of its values. */
  readonly shape: Any
  /** Reads a value. */
  readonly read: Read
  /** Its presence in an array of the fields. */
  readonly position: Position
  /** Makes the value that a struct has in place of an absent one. */
  readonly absent?: (() => unknown) | undefined
  /** The capability of a server that has it, where that does not follow from the feature whose it is. */
  readonly needs?: string | undefined
}

/** JSON Schema of a value. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

// The shapes of others are types of these. So a declaration names the parts, which have docstrings, and no whole types.

/** A shape of lists. */
export interface List<S extends Any> extends Shape<ReadonlyArray<S["Type"]>, ReadonlyArray<S["Encoded"]>> {}

/** A shape of objects with any keys. */
export interface MapOf<S extends Any> extends Shape<
  { readonly [x: string]: S["Type"] },
  { readonly [x: string]: S["Encoded"] }
> {}

/** A shape of values that may be null. */
export interface NullOr<S extends Any> extends Shape<S["Type"] | null, S["Encoded"] | null> {}

/** A shape of words. */
export interface Words<W extends ReadonlyArray<string>> extends Shape<W[number]> {}

/** A shape of values of several shapes. */
export interface Choice<S extends ReadonlyArray<Any>> extends Shape<
  S[number]["Type"],
  S[number]["Encoded"]
> {}

/** Makes a shape. */
export const make = <A, I = A>(read: Read, form: Form, write?: (value: A) => unknown): Shape<A, I> =>
  ({ read, write, form }) as unknown as Shape<A, I>

/** A shape that is read as a whole. */
export const leaf = <A, I = A>(json: JsonSchema, read: Read, write?: (value: A) => unknown): Shape<A, I> =>
  make<A, I>(read, { kind: "leaf", json }, write)

/** Reads a value; as a failure, the first fault in one line, with the field. */
export const decode = <A, I>(
  { read }: Shape<A, I>,
  json: unknown,
  options?: Options,
): Result.Result<A, string> => run<A>(read, json as Json, options)

/** True if a value of the program has this shape: only for shapes whose values are JSON as they are. */
export const is = <A>(shape: Shape<A, unknown>, value: unknown): value is A =>
  Result.isSuccess(decode(shape, value, { plain: true }))

/** The JSON of a value. */
export const encode = <A, I>({ write }: Shape<A, I>, value: A): I =>
  (write === undefined ? value : write(value as never)) as I

/** Any text. */
export const string: Shape<string> = leaf({ type: "string" }, (json, reading) => {
  if (typeof json === "string") return json
  throw wrongType(json, "a string", reading)
})

/** Why a text is refused on a platform (`linux`, `macos`, `windows`), in words that need no field beside them. */
export type Judge = (text: string, platform: string) => string | undefined

/** A text that is judged. A fault does not name the field, unless `located` says so. */
export const text = (judge: Judge, json: JsonSchema, located = false): Shape<string> =>
  leaf({ type: "string", ...json }, (value, reading) => {
    if (typeof value !== "string") throw wrongType(value, "a string", reading)
    const fault = judge(value, reading.platform)
    if (fault !== undefined) throw new Fault(fault, !located)
    return value
  })

/** True or false. */
export const boolean: Shape<boolean> = leaf({ type: "boolean" }, (json, reading) => {
  if (typeof json === "boolean") return json
  throw wrongType(json, "a boolean", reading)
})

/** True; what is not true is absent. */
export const yes: Shape<true> = leaf({ const: true }, (json, reading) => {
  if (json === true) return json
  throw wrongType(json, "another type", reading)
})

/** Any JSON. */
export const unknown: Shape<unknown> = leaf({}, (json) => json)

const readNumber: Read = (json, reading) => {
  if (typeof json === "number") return json
  throw wrongType(json, "a number", reading)
}

/** A double, written without a fraction or an exponent. */
export const number: Shape<number> = leaf({ type: "number" }, readNumber)

/** A whole number within bounds, which are those of the program. `name` is what a fault expects. */
export const int = (name: string, bounds?: { readonly minimum: number; readonly maximum: number }) =>
  leaf<number>({ type: "integer", ...bounds }, (json, reading) => {
    const value = readNumber(json, reading) as number
    if (!Number.isSafeInteger(value)) throw wrongType(json, "Int", reading)
    if (bounds === undefined || (value >= bounds.minimum && value <= bounds.maximum)) return value
    throw wrongType(json, name, reading)
  })

const exact = BigInt(Number.MAX_SAFE_INTEGER)

/** A whole number within the bounds of a type of Rust; one above 2^53 is rounded to a double. */
export const whole = (name: string, least: bigint, most: bigint): Shape<number> =>
  leaf(
    { type: "integer", minimum: Number(least), ...(most <= exact ? { maximum: Number(most) } : {}) },
    readWhole(name, least, most, Number),
  )

/** The same, exact. */
export const bigWhole = (name: string, least: bigint, most: bigint): Shape<bigint, number> =>
  leaf({ type: "integer", minimum: Number(least) }, readWhole(name, least, most, BigInt), Number)

const readWhole =
  (name: string, least: bigint, most: bigint, convert: (value: number | bigint) => unknown): Read =>
  (json, { buffered }) => {
    const isWhole = typeof json === "bigint" || Number.isSafeInteger(json)
    if (isWhole && (json as number) >= least && (json as number) <= most) return convert(json as number)
    if (typeof json !== "number" && typeof json !== "bigint" && !isDecimal(json))
      throw wrongType(json, name, { buffered: false })
    if (!buffered) throw new Fault("invalid number")
    throw new Fault(
      `invalid ${isDecimal(json) ? "type" : "value"}: ${describeExactly(json)}, expected ${name}`,
    )
  }

/** Bytes, which are base64 on the wire. A `CutText` has them already. */
export const bytes: Shape<Uint8Array, string> = leaf<Uint8Array, string>(
  { type: "string", contentEncoding: "base64" },
  (json: unknown) => {
    if (json instanceof Uint8Array) return json
    if (typeof json !== "string") throw new Fault(`invalid type: ${describe(json)}, expected a string`)
    const decoded = fromBase64(json)
    if (Result.isSuccess(decoded)) return decoded.success
    throw new Fault(decoded.failure)
  },
  toBase64,
)

/** The same value, or null. */
export const nullOr = <S extends Any>(of: S): NullOr<S> => {
  const { read, write } = of
  return make<S["Type"] | null, S["Encoded"] | null>(
    (json, reading) => (json === null ? null : read(json, reading)),
    { kind: "nullOr", of },
    write && ((value) => (value === null ? null : write(value as never))),
  )
}

/** A list of values. */
export const list = <S extends Any>(of: S): List<S> => {
  const { read, write } = of
  return make<ReadonlyArray<S["Type"]>, ReadonlyArray<S["Encoded"]>>(
    (json, reading) => {
      if (!Array.isArray(json)) throw wrongType(json, "a sequence", reading)
      const values: ReadonlyArray<Json> = json
      return values.map((value, index) => member(String(index), read, value, reading))
    },
    { kind: "list", of },
    write && ((values) => values.map((value) => write(value as never))),
  )
}

/** An object with any keys. */
export const map = <S extends Any>(of: S): MapOf<S> => {
  const { read, write } = of
  const each = (object: object, convert: (value: never, key: string) => unknown) =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, convert(value as never, key)]))
  return make<{ readonly [x: string]: S["Type"] }, { readonly [x: string]: S["Encoded"] }>(
    (json, reading) => {
      if (!isObject(json)) throw wrongType(json, "a map", reading)
      return each(json, (value, key) => member(key, read, value, reading))
    },
    { kind: "map", of },
    write && ((object) => each(object, write)),
  )
}

/** One of these words. */
export const words = <W extends ReadonlyArray<string>>(...words: W): Words<W> =>
  make<W[number]>(readWord(words), { kind: "words", words })

/** One of these words, as a type with a name. */
export const namedWords = <W extends ReadonlyArray<string>>(name: string, ...words: W): Words<W> =>
  make<W[number]>(readWord(words), { kind: "words", name, words })

/** A value of the first of these shapes that takes it. A fault is that of the last one. */
export const anyOf = <const S extends ReadonlyArray<Any>>(...of: S): Choice<S> =>
  make<S[number]["Type"], S[number]["Encoded"]>(
    (json, reading) => {
      const depth = reading.path.length
      for (const { read } of of.slice(0, -1)) {
        try {
          return read(json, reading)
        } catch (fault) {
          if (!(fault instanceof Fault)) throw fault
          reading.path.length = depth
        }
      }
      return of.at(-1)?.read(json, reading)
    },
    { kind: "choice", of },
  )

/**
 * Reads one of these words: a text, or an object whose only member has its name and the value null. A fault names those
 * of `told`.
 */
export const readWord =
  (words: ReadonlyArray<string>, told = words): Read =>
  (json, reading) => {
    if (typeof json === "string") return knownWord(json, words, told, reading)
    if (reading.plain) throw wrongType(json, listed(told), reading)
    if (!isObject(json)) throw wrongType(json, "string or map", reading)
    const names = Object.keys(json)
    const [name] = names
    if (name === undefined || names.length > 1)
      throw new Fault("invalid value: map, expected map with a single key")
    const word = knownWord(name, words, told, reading)
    const value = json[name] ?? null
    const isUnit = value === null || (reading.buffered && isObject(value) && Object.keys(value).length === 0)
    if (!isUnit) throw wrongType(value, "unit", reading)
    return word
  }

/** The word, which has to be one of these. */
export const knownWord = (
  word: string,
  words: ReadonlyArray<string>,
  told: ReadonlyArray<string>,
  { plain }: Pick<Reading, "plain">,
): string => {
  if (words.includes(word)) return word
  throw new Fault(`unknown variant \`${word}\`, expected ${plain ? listed(told) : alternatives(told)}`)
}

const quoted = (words: ReadonlyArray<string>) => words.map((word) => `\`${word}\``)

/** `` `a` ``; `` `a` or `b` ``; `` one of `a`, `b`, `c` `` */
const alternatives = (words: ReadonlyArray<string>): string =>
  words.length > 2 ? listed(words) : quoted(words).join(" or ")

/** `` `a` ``; `` one of `a`, `b` `` */
const listed = (words: ReadonlyArray<string>): string =>
  `${words.length > 1 ? "one of " : ""}${quoted(words).join(", ")}`
