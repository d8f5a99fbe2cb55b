/** Values that have no members: texts, flags and numbers. */
import * as Either from "effect/Either"
import { fromBase64 } from "../Bytes.ts"
import { describe, isDecimal, type Json } from "../Json.ts"
import { Fault, type Read, wrongType } from "./Reading.ts"

/** A text. */
export const string: Read = (json, reading) => {
  if (typeof json === "string") return json
  throw wrongType(json, "a string", reading)
}

/** True or false. */
export const boolean: Read = (json, reading) => {
  if (typeof json === "boolean") return json
  throw wrongType(json, "a boolean", reading)
}

/** The same value, or null. */
export const nullable =
  (read: Read): Read =>
  (json, reading) =>
    json === null ? null : read(json, reading)

/** True for a whole number in these bounds, which JSON had without a fraction and an exponent. */
export const isWhole = (value: unknown, least: bigint, most: bigint): value is number | bigint =>
  (typeof value === "bigint" || Number.isSafeInteger(value)) &&
  (value as number | bigint) >= least &&
  (value as number | bigint) <= most

/** True for any number of JSON. */
export const isNumber = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "bigint" || isDecimal(value)

/** A whole number; one above 2^53 is rounded to a double, unless `convert` is another. `name` is what a fault expects. */
export const whole =
  (name: string, least: bigint, most: bigint, convert: (value: number | bigint) => unknown = Number): Read =>
  (json: Json) => {
    if (isWhole(json, least, most)) return convert(json)
    throw new Fault(isNumber(json) ? "invalid number" : `invalid type: ${describe(json)}, expected ${name}`)
  }

/** Bytes that a text has as base64. */
export const base64: Read = (json) => {
  if (typeof json !== "string") throw new Fault(`invalid type: ${describe(json)}, expected a string`)
  const bytes = fromBase64(json)
  if (Either.isRight(bytes)) return bytes.right
  throw new Fault(bytes.left)
}
