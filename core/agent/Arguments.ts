/**
 * Decodes the arguments of a tool: JSON as a model writes it. Unknown fields are ignored.
 *
 * Error texts are those of the peer implementation, which models know: the first fault, and its position in the text.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { describeExactly } from "../protocol/decoding/Serde.ts"
import * as Json from "../protocol/Json.ts"
import { position } from "../protocol/JsonFault.ts"

/** Decodes the JSON text of an object; on the left, what is wrong with it. */
export const decode = <A, I>(schema: Schema.Schema<A, I>, text: string): Either.Either<A, string> => {
  const json = parse(text)
  if (Either.isLeft(json)) return Either.left(json.left)
  if (!Json.isObject(json.right)) {
    return Either.left(
      `invalid type: ${describeExactly(json.right)}, expected a map ${position(text, text.length - 1)}`,
    )
  }
  return Either.mapLeft(ParseResult.decodeUnknownEither(schema)(json.right), (issue) => {
    const [first] = ParseResult.ArrayFormatter.formatIssueSync(issue)
    const field = String(first?.path[0] ?? "")
    return first === undefined || first._tag === "Missing"
      ? `missing field \`${field}\` ${position(text, text.trimEnd().length - 1)}`
      : `${first.message} ${position(text, endOf(text, field))}`
  })
}

/** A field that accepts what `is` accepts; error texts call that `expected`. */
const field = <A>(is: (json: unknown) => json is A, expected: string, jsonSchema: object) =>
  Schema.declare(is, { message: ({ actual }) => wrong(actual, expected), jsonSchema })

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
export const textOrNull = (description: string) =>
  field(orNull(isString), "a string", { type: "string", description })
export const flag = (description: string) => field(isBoolean, "a boolean", { type: "boolean", description })
export const flagOrNull = (description: string) =>
  field(orNull(isBoolean), "a boolean", { type: "boolean", description })
/** An integer from 0. From 2^53 on it decodes to a bigint. */
export const count = (description: string) =>
  field(isU64, "u64", { type: "integer", minimum: 0, description })
export const countOrNull = (description: string) =>
  field(orNull(isU64), "usize", { type: "integer", minimum: 0, description })
export const id = (description: string) =>
  field(isWithin(-(2 ** 31), 2 ** 31 - 1), "i32", { type: "integer", description })

const parse = (text: string): Either.Either<Json.Json, string> =>
  Either.try({
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
