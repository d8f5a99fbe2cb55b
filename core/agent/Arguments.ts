/**
 * Decodes the arguments of a tool: JSON as a model writes it. Unknown fields are ignored.
 *
 * Error texts are those of the peer implementation, which models know: the first fault, and its position in the text.
 */
import { exactOptional } from "../protocol/shape/Fields.ts"
import * as Result from "effect/Result"
import * as Json from "../protocol/Json.ts"
import { position } from "../protocol/Json.ts"
import * as Shape from "../protocol/shape/index.ts"
import { describeExactly, Fault, type Reading } from "../protocol/shape/Shape.ts"

/** Decodes the JSON text of an object; as a failure, what is wrong with it. */
export const decode = <A, I>(shape: Shape.Shape<A, I>, text: string): Result.Result<A, string> => {
  const json = parse(text)
  if (Result.isFailure(json)) return Result.fail(json.failure)
  if (!Json.isObject(json.success)) {
    return Result.fail(
      `invalid type: ${describeExactly(json.success)}, expected a map ${position(text, text.length - 1)}`,
    )
  }
  const reading: Reading = { path: [], buffered: false, platform: "", plain: true }
  try {
    return Result.succeed(shape.read(json.success, reading) as A)
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    const [field] = reading.path
    const end = field === undefined ? text.trimEnd().length - 1 : endOf(text, field)
    return Result.fail(`${fault.message} ${position(text, end)}`)
  }
}

/** JSON Schema, draft 7, of a struct: an object without references that has no other members. */
export const toJsonSchema = ({ form }: Shape.Any): Shape.JsonSchema => {
  if (form.kind === "leaf") return form.json
  if (form.kind !== "struct") throw new Error(`no JSON Schema of a ${form.kind}`)
  const { description, fields } = form
  const members = Object.entries(fields)
  return {
    type: "object",
    required: members.filter(([, field]) => "form" in field).map(([name]) => name),
    properties: Object.fromEntries(
      members.map(([name, field]) => [name, toJsonSchema("form" in field ? field : field.shape)]),
    ),
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  }
}

/** An argument that is an object with these fields and no others. */
export const group = <F extends Shape.Fields>(description: string, fields: F) => {
  const { form, read } = Shape.struct("", fields)
  const closed = Shape.make(
    (json, reading) => {
      if (!Json.isObject(json)) throw new Fault(wrong(json, "a map"))
      const unknown = Object.keys(json).find((name) => !Object.hasOwn(fields, name))
      if (unknown === undefined) return read(json, reading)
      const known = Object.keys(fields).map((name) => `\`${name}\``)
      throw new Fault(`unknown field \`${unknown}\`, expected one of ${known.join(", ")}`)
    },
    { ...form, description } as Shape.Form,
  )
  return { ...closed, fields } as unknown as Shape.Struct<F>
}

/** A field that accepts what `is` accepts; error texts call that `expected`. */
const field = <A>(is: (json: unknown) => json is A, expected: string, jsonSchema: object) =>
  Shape.leaf<A>(jsonSchema as Shape.JsonSchema, (json) => {
    if (is(json)) return json
    throw new Fault(wrong(json, expected))
  })

/** Accepts null too, which means absent. */
const orNull =
  <A>(is: (json: unknown) => json is A) =>
  (json: unknown): json is A | null =>
    json === null || is(json)

const isString = (json: unknown): json is string => typeof json === "string"
const isBoolean = (json: unknown): json is boolean => typeof json === "boolean"
const isWithin =
  (least: number, most: number) =>
  (json: unknown): json is number =>
    typeof json === "number" && json >= least && json <= most
const isU64 = (json: unknown): json is number =>
  isWithin(0, Infinity)(json) || (typeof json === "bigint" && json >= 0n && json < 2n ** 64n)

export const text = (description: string) => field(isString, "a string", { type: "string", description })
export const id = (description: string) =>
  field(isWithin(-(2 ** 31), 2 ** 31 - 1), "i32", { type: "integer", description })

// Those below may be absent.

export const optionalText = (description: string) => exactOptional(text(description))
export const textOrNull = (description: string) =>
  exactOptional(field(orNull(isString), "a string", { type: "string", description }))
export const flag = (description: string) =>
  exactOptional(field(isBoolean, "a boolean", { type: "boolean", description }))
export const flagOrNull = (description: string) =>
  exactOptional(field(orNull(isBoolean), "a boolean", { type: "boolean", description }))
/** An integer from 0. From 2^53 on it decodes to a bigint. */
export const count = (description: string) =>
  exactOptional(field(isU64, "u64", { type: "integer", minimum: 0, description }))
export const countOrNull = (description: string) =>
  exactOptional(field(orNull(isU64), "usize", { type: "integer", minimum: 0, description }))

const parse = (text: string): Result.Result<Json.Json, string> =>
  Result.try({
    try: () => Json.parse(text),
    catch: (error) => (error instanceof Json.JsonError ? error.message : String(error)),
  })

const wrong = (json: unknown, expected: string): string => {
  const integer = typeof json === "bigint" || typeof json === "number"
  const kind = integer && /^[ui]/.test(expected) ? "value" : "type"
  return `invalid ${kind}: ${describeExactly(json as Json.Json)}, expected ${expected}`
}

/** The position where the value of a top-level field ends; for an array or object, the one before it begins. */
const endOf = (text: string, field: string): number => {
  let depth = 0
  let key: string | undefined
  let wanted = false
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (wanted) return /^[[{]/.test(token) ? index - 1 : index + token.length - 1
    if (token === ":") wanted = depth === 1 && key === field
    else if (/^[[{]/.test(token)) depth += 1
    else if (/^[\]}]/.test(token)) depth -= 1
    else if (token.startsWith('"')) key = String(JSON.parse(token))
  }
  return text.length - 1
}

/** Strings, brackets, colons, numbers and words. The text is known to be JSON. */
const tokens = /"(?:[^"\\]|\\.)*"|[[\]{}:]|[^\s,:[\]{}"]+/g
