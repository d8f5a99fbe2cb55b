/**
 * The assertions of cases. Each failure is one line with the wanted and the actual value.
 */
import { clip, isObject, same, type Json, type JsonObject } from "./Json.ts"

/**
 * The kind of a failure. `wrong`: the server did something else. `late`: it did nothing in time. `gone`: it could not
 * be started or reached, or has ended the connection.
 */
export type Reason = "wrong" | "late" | "gone"

/** The server did not do what the case says. */
export class CheckFailure extends Error {
  /** The name of the class, for logs. */
  override readonly name = "CheckFailure"
  /** The reason of the failure. */
  readonly reason: Reason
  constructor(message: string, reason: Reason = "wrong") {
    super(message)
    this.reason = reason
  }
}

/** A JSON text short enough for a line of a report. */
export const show = (value: Json | undefined): string =>
  value === undefined ? "nothing" : clip(JSON.stringify(value), 400)

/** Fails the case. */
export const fail = (why: string): never => {
  throw new CheckFailure(why)
}

/** Fails the case unless the condition holds. */
export const isTrue = (condition: boolean, why: string): void => {
  if (!condition) fail(why)
}

/** `what` must be exactly `wanted`. */
export const equal = (got: Json | undefined, wanted: Json, what: string): void => {
  if (!same(got, wanted)) fail(`${what}: wanted ${show(wanted)}, got ${show(got)}`)
}

/** `what` must be one of `wanted`. */
export const oneOf = (got: Json | undefined, wanted: ReadonlyArray<Json>, what: string): void => {
  if (!wanted.some((value) => same(got, value))) {
    fail(`${what}: wanted one of ${wanted.map(show).join(", ")}, got ${show(got)}`)
  }
}

/** `what` must contain `part`. */
export const contains = (got: string, part: string, what: string): void => {
  if (!got.includes(part)) fail(`${what}: wanted a text with ${JSON.stringify(part)}, got ${show(got)}`)
}

/** `what` must not contain `part`. */
export const lacks = (got: string, part: string, what: string): void => {
  if (got.includes(part)) fail(`${what}: must not contain ${JSON.stringify(part)}, got ${show(got)}`)
}

/** `what` must be an object; returns it. */
export const object = (got: Json | undefined, what: string): JsonObject =>
  isObject(got) ? got : fail(`${what}: wanted an object, got ${show(got)}`)

/** `what` must be an object with these members; it may have others. A null means that it is null or absent. */
export const has = (got: Json | undefined, wanted: JsonObject, what: string): void => {
  const found = object(got, what)
  equal(Object.fromEntries(Object.keys(wanted).map((name) => [name, found[name] ?? null])), wanted, what)
}

/** `what` must be an array; returns it. */
export const list = (got: Json | undefined, what: string): ReadonlyArray<Json> =>
  Array.isArray(got) ? (got as ReadonlyArray<Json>) : fail(`${what}: wanted an array, got ${show(got)}`)

/** `what` must be a string; returns it. */
export const text = (got: Json | undefined, what: string): string =>
  typeof got === "string" ? got : fail(`${what}: wanted a string, got ${show(got)}`)

/** `what` must be a boolean; returns it. */
export const flag = (got: Json | undefined, what: string): boolean =>
  typeof got === "boolean" ? got : fail(`${what}: wanted a boolean, got ${show(got)}`)

/** `what` must be an integer; returns it. */
export const integer = (got: Json | undefined, what: string): number =>
  typeof got === "number" && Number.isInteger(got)
    ? got
    : fail(`${what}: wanted an integer, got ${show(got)}`)
