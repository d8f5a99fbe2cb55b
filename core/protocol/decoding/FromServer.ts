/**
 * Decodes what a client receives: results, and the notifications of a server.
 *
 * A client decodes it by `ServerShapes`, data that are written from the schemas of the table: the schemas themselves,
 * with what interprets them, would be a fifth of a client for the web. Values and error texts are those of the schemas;
 * a test compares them.
 */
import type * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { describe, isObject, type Json } from "../Json.ts"
import type * as Methods from "../Methods.ts"
import * as Serde from "./Serde.ts"
import { Fault, member, type Read, run } from "./Serde.ts"
import * as Shapes from "./ServerShapes.ts"

type ParamsOf<M extends Methods.ServerNotificationName> = Schema.Schema.Type<
  (typeof Methods.serverNotifications)[M]["params"]
>

/** Every request, in the order of the table. */
export const names = Object.keys(Shapes.requests) as ReadonlyArray<Methods.RequestName>

/** True for the name of a request. */
export const isRequest = (method: string): method is Methods.RequestName =>
  Object.hasOwn(Shapes.requests, method)

/** True for the name of a notification of the server. */
export const isNotification = (method: string): method is Methods.ServerNotificationName =>
  Object.hasOwn(Shapes.notifications, method)

/** True for the name of a request that `request/cancel` can end. */
export const isCancellable = (method: string): boolean => Shapes.requests[method]?.cancellable === true

/** True for a request that may be sent again if its answer was lost. */
export const isRepeatable = (method: Methods.RequestName, params: unknown): boolean => {
  const repeatable = Shapes.requests[method]?.repeatable
  if (repeatable === undefined || repeatable === "always") return repeatable === "always"
  const given = params as Readonly<Record<string, unknown>>
  return "given" in repeatable
    ? given[repeatable.given] !== undefined
    : given[repeatable.unlessFalse] !== false
}

/** The result of a request; on the left, what is malformed, with its place. */
export const result = <M extends Methods.RequestName>(
  method: M,
  json: Json,
): Either.Either<Methods.ResultOf<M>, string> => run(readerOf(Shapes.requests[method]?.result), json)

/** The params of a notification; on the left, what is malformed, with its place. */
export const notification = <M extends Methods.ServerNotificationName>(
  method: M,
  json: Json,
): Either.Either<ParamsOf<M>, string> => run(readerOf(Shapes.notifications[method]), json)

/** The names of the fields of a notification. */
export const fieldsOf = (method: Methods.ServerNotificationName): ReadonlyArray<string> =>
  wordsOf(Shapes.structs[Shapes.notifications[method] ?? ""]).map((field) => toField(field).name)

const wordsOf = (text = ""): ReadonlyArray<string> => text.split(" ").filter(Boolean)

const u64 = 2n ** 64n - 1n
const wrong = (json: Json, expected: string) =>
  new Fault(`invalid type: ${describe(json)}, expected ${expected}`)

const number: Read = (json) => {
  if (typeof json === "number") return json
  throw wrong(json, "a number")
}
const int =
  (name: string, least: number, most: number): Read =>
  (json) => {
    if (typeof json !== "number") throw wrong(json, "a number")
    if (!Number.isSafeInteger(json)) throw wrong(json, "Int")
    if (json < least || json > most) throw wrong(json, name)
    return json
  }
const { MIN_SAFE_INTEGER: least, MAX_SAFE_INTEGER: most } = Number

const leaves: { readonly [shape: string]: Read } = {
  string: Serde.string,
  boolean: Serde.boolean,
  number,
  int: int("Int", least, most),
  i32: int("i32", -(2 ** 31), 2 ** 31 - 1),
  u16: Serde.whole("u16", 0n, 65_535n),
  u53: Serde.whole("u53", 0n, BigInt(most)),
  u64: Serde.whole("u64", 0n, u64),
  bigint: Serde.whole("u64", 0n, u64, BigInt),
  bytes: Serde.base64,
  /** A color of the palette, or `#rrggbb`. */
  color: (json) => {
    if (typeof json === "number" || typeof json === "string") return json
    throw wrong(json, "ScreenColor")
  },
  true: (json) => {
    if (json === true) return json
    throw wrong(json, "another type")
  },
}

const readers = new Map<string, Read>(Object.entries(leaves))

/** What reads a shape is made once, when the first value of it comes. Every method has one: `npm run check` looks. */
const readerOf = (shape = ""): Read => {
  const known = readers.get(shape)
  if (known !== undefined) return known
  const made = toRead(shape)
  readers.set(shape, made)
  return made
}

const toRead = (shape: string): Read => {
  const inner = (length: number) => readerOf(shape.slice(0, -length))
  if (shape.endsWith("~")) return Serde.nullable(inner(1))
  if (shape.endsWith("[]")) return Serde.sequence(inner(2))
  if (shape.endsWith("{}")) return Serde.map(inner(2))
  return shape.startsWith("'") ? word(shape.slice(1, -1).split("'|'")) : struct(shape)
}

const word = (words: ReadonlyArray<string>): Read => {
  const expected = `${words.length > 1 ? "one of " : ""}${words.map((word) => `\`${word}\``).join(", ")}`
  return (json) => {
    if (typeof json !== "string") throw wrong(json, expected)
    if (words.includes(json)) return json
    throw new Fault(`unknown variant \`${json}\`, expected ${expected}`)
  }
}

/** Fields are decoded in the order of declaration; other members are left out. */
const struct = (name: string): Read => {
  const fields = wordsOf(Shapes.structs[name]).map(toField)
  if (fields.length === 0) return (json) => json ?? fail(wrong(json, `struct ${name}`))
  return (json, reading) => {
    if (!isObject(json)) throw wrong(json, `struct ${name}`)
    const made: Record<string, unknown> = {}
    for (const { name, read, optional, absent } of fields) {
      if (Object.hasOwn(json, name)) made[name] = member(name, read, json[name] ?? null, reading)
      else if (!optional) throw Serde.missing(name)
      else if (absent !== undefined) made[name] = absent()
    }
    return made
  }
}

const fail = (fault: Fault): never => {
  throw fault
}

const toField = (text: string): Omit<Serde.Field, "position"> => {
  const [, name = "", shape = "", optional, absent] = /^(\w+):(.*?)(\?)?(?:=(.*))?$/.exec(text) ?? []
  return {
    name,
    read: (json, reading) => readerOf(shape)(json, reading),
    optional: optional !== undefined,
    absent: absent === undefined ? undefined : () => JSON.parse(absent) as unknown,
  }
}
