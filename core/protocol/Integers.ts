/** The integer types of the wire. They refuse JSON numbers with a fraction or an exponent. */
import * as Shape from "./shape/index.ts"

const u64Max = 2n ** 64n - 1n

/** 0 to 2^64-1. Values above 2^53 are rounded to a double, for fields where such a value only means "no limit". */
export const U64 = Shape.whole("u64", 0n, u64Max)

/** The same, where the peer implementation counts or measures what is in memory. */
export const Usize = Shape.whole("usize", 0n, u64Max)

/** The same without 0. */
export const NonZero = Shape.whole("a nonzero usize", 1n, u64Max)

/** 0 to 2^64-1, exact. */
export const BigU64: Shape.Shape<bigint, number> = Shape.bigWhole("u64", 0n, u64Max)

/** -2^63 to 2^63-1. Values beyond 2^53 are rounded to a double. */
export const I64 = Shape.whole("i64", -(2n ** 63n), 2n ** 63n - 1n)

/** 0 to 2^53-1, for sums that must stay exact. */
export const U53 = Shape.whole("u53", 0n, BigInt(Number.MAX_SAFE_INTEGER))

/** 0 to 65535. */
export const U16 = Shape.whole("u16", 0n, 65_535n)

/** The permission bits of a file: 0 to 0o7777. */
export const Mode = Shape.whole("a mode of 0 to 4095", 0n, 0o7777n)

/** A 32-bit signed integer. */
export const I32 = Shape.int("i32", { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })
