/** The integer types of the wire. They refuse JSON numbers with a fraction or an exponent. */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { Decimal } from "./Json.ts"

const u64Max = 2n ** 64n - 1n

const isWhole = (value: unknown, most: bigint): value is number | bigint =>
  (typeof value === "bigint" && value >= 0n && value <= most) ||
  (typeof value === "number" && Number.isSafeInteger(value) && value >= 0)

const noWhole = (ast: SchemaAST.AST, value: unknown) => {
  const isNumber = typeof value === "number" || typeof value === "bigint" || value instanceof Decimal
  return new ParseResult.Type(ast, value, isNumber ? "invalid number" : undefined)
}

/** 0 to 2^64-1. Values above 2^53 are rounded to a double, for fields where such a value only means "no limit". */
export const U64: Schema.Schema<number> = Schema.transformOrFail(
  Schema.Unknown as Schema.Schema<unknown, number>,
  Schema.Number,
  {
    strict: true,
    decode: (value, _, ast) =>
      isWhole(value, u64Max) ? ParseResult.succeed(Number(value)) : ParseResult.fail(noWhole(ast, value)),
    encode: (value) => ParseResult.succeed(value),
  },
).annotations({ identifier: "u64", jsonSchema: { type: "integer", minimum: 0 } })

/** 0 to 2^64-1, exact. */
export const BigU64: Schema.Schema<bigint, number> = Schema.transformOrFail(
  Schema.Unknown as Schema.Schema<unknown, number>,
  Schema.BigIntFromSelf,
  {
    strict: true,
    decode: (value, _, ast) =>
      isWhole(value, u64Max) ? ParseResult.succeed(BigInt(value)) : ParseResult.fail(noWhole(ast, value)),
    encode: (value) => ParseResult.succeed(Number(value)),
  },
).annotations({ identifier: "u64", jsonSchema: { type: "integer", minimum: 0 } })

/** 0 to 2^53-1, for sums that must stay exact. */
export const U53: Schema.Schema<number> = U64.pipe(
  Schema.filter((value) => value <= Number.MAX_SAFE_INTEGER || "invalid number", {
    identifier: "u53",
    jsonSchema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  }),
)

/** 0 to 65535. */
export const U16 = Schema.Int.pipe(Schema.between(0, 65_535)).annotations({ identifier: "u16" })

/** A 32-bit signed integer. */
export const I32 = Schema.Int.pipe(Schema.between(-(2 ** 31), 2 ** 31 - 1)).annotations({ identifier: "i32" })
