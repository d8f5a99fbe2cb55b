/** The integer types of the wire. They refuse JSON numbers with a fraction or an exponent. */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Serde from "./decoding/Serde.ts"
import { readBy } from "./Fields.ts"
import type { Json } from "./Json.ts"
import { lazy } from "./Lazy.ts"

const u64Max = 2n ** 64n - 1n
/** The largest integer that a double holds exactly, with all below it. */
const exact = BigInt(Number.MAX_SAFE_INTEGER)

/** Integers that `read` reads, with the annotation that it does. */
const readWith = <A extends number | bigint>(
  read: Serde.Read,
  to: Schema.Schema<A>,
  identifier: string,
  bounds: object,
): Schema.Schema<A, number> =>
  Schema.transformOrFail(Schema.Unknown as Schema.Schema<unknown, number>, to, {
    strict: true,
    decode: (value, _, ast) =>
      Either.mapLeft(
        Serde.run<A>(read, value as Json, { located: false }),
        (fault) => new ParseResult.Type(ast, value, fault),
      ),
    encode: (value) => ParseResult.succeed(Number(value)),
  }).annotations({ identifier, jsonSchema: { type: "integer", ...bounds }, ...readBy(read) })

/** Whole numbers; those above 2^53 are rounded to a double. */
const whole = (identifier: string, least: bigint, most: bigint): Schema.Schema<number> =>
  readWith(Serde.whole(identifier, least, most), Schema.Number, identifier, {
    minimum: Number(least),
    ...(most <= exact ? { maximum: Number(most) } : {}),
  })

/** 0 to 2^64-1. Values above 2^53 are rounded to a double, for fields where such a value only means "no limit". */
export const U64 = lazy(() => whole("u64", 0n, u64Max))

/** The same, where the peer implementation counts or measures what is in memory. */
export const Usize = lazy(() => whole("usize", 0n, u64Max))

/** The same without 0. */
export const NonZero = lazy(() => whole("a nonzero usize", 1n, u64Max))

/** 0 to 2^64-1, exact. */
export const BigU64: Schema.Schema<bigint, number> = lazy(() =>
  readWith(Serde.whole("u64", 0n, u64Max, BigInt), Schema.BigIntFromSelf, "u64", { minimum: 0 }),
)

/** -2^63 to 2^63-1. Values beyond 2^53 are rounded to a double. */
export const I64 = lazy(() => whole("i64", -(2n ** 63n), 2n ** 63n - 1n))

/** 0 to 2^53-1, for sums that must stay exact. */
export const U53 = lazy(() => whole("u53", 0n, exact))

/** 0 to 65535. */
export const U16 = lazy(() => whole("u16", 0n, 65_535n))

/** The permission bits of a file: 0 to 0o7777. */
export const Mode = lazy(() => whole("a mode of 0 to 4095", 0n, 0o7777n))

/** A 32-bit signed integer. */
export const I32 = lazy(() =>
  Schema.Int.pipe(Schema.between(-(2 ** 31), 2 ** 31 - 1)).annotations({ identifier: "i32" }),
)
