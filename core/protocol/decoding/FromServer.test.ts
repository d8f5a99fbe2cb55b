import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { describe, expect, it } from "vitest"
import { Base64 } from "../Base64.ts"
import * as DecodeError from "../DecodeError.ts"
import type { Json } from "../Json.ts"
import * as Methods from "../Methods.ts"
import * as FromServer from "./FromServer.ts"

/** A value with every member that a schema knows. */
const full = (ast: SchemaAST.AST): Json => {
  if (ast === Base64.ast) return "aGk="
  switch (ast._tag) {
    case "TypeLiteral": {
      const members = ast.propertySignatures.map(({ name, type }) => [String(name), full(type)])
      const others = ast.indexSignatures.map(({ type }) => ["any", full(type)])
      return Object.fromEntries([...members, ...others]) as Json
    }
    case "TupleType":
      return ast.rest.flatMap(({ type }) => [full(type), full(type)])
    case "Union":
      return full(ast.types[0] as SchemaAST.AST)
    case "Literal":
      return ast.literal as Json
    case "StringKeyword":
      return "text"
    case "BooleanKeyword":
      return true
    case "Transformation":
      return ast.from._tag === "TypeLiteral" ? full(ast.from) : 7
    default:
      return 7
  }
}

const texts = ["", "x", "stdout", "aGk=", "aGk", "a b="]
const numbers = [
  0,
  5,
  -1,
  70_000,
  2 ** 31,
  -(2 ** 31) - 1,
  2n ** 53n,
  2n ** 64n - 1n,
  2n ** 64n,
  -(2n ** 63n),
]
const bytes = Uint8Array.of(1) as unknown as Json
const values: ReadonlyArray<Json> = [
  null,
  true,
  false,
  ...texts,
  ...numbers,
  Symbol("1.5"),
  bytes,
  [],
  [5],
  ["x"],
  {},
  { a: 5 },
  { a: "x" },
]

/** The value with one thing changed: anything in it is another value, or an object lacks it or has one more. */
function* changed(json: Json): Generator<Json> {
  yield* values
  if (typeof json !== "object" || json === null) return
  if (Array.isArray(json)) {
    const array: ReadonlyArray<Json> = json
    for (const [index, element] of array.entries())
      for (const other of changed(element)) yield array.map((same, at) => (at === index ? other : same))
    return
  }
  const object = json as { readonly [key: string]: Json }
  yield { ...object, unknown: 5 }
  for (const [name, value] of Object.entries(object)) {
    const { [name]: _, ...others } = object
    yield others
    for (const other of changed(value)) yield { ...object, [name]: other }
  }
}

const bySchema = ({ ast }: { readonly ast: SchemaAST.AST }) => {
  const decode = ParseResult.decodeUnknownEither(Schema.make<unknown>(ast))
  return (json: Json) =>
    Either.mapLeft(decode(json), (issue) => DecodeError.toText(ParseResult.parseError(issue)))
}

/** Compares values and error texts, and returns how many of either there were. */
const compare = (
  schema: { readonly ast: SchemaAST.AST },
  decode: (json: Json) => Either.Either<unknown, string>,
): readonly [right: number, left: number] => {
  const jsons = [full(schema.ast), ...changed(full(schema.ast))]
  const wanted = jsons.map(bySchema(schema))
  const found = jsons.map(decode)
  const of = (json: Json | undefined, index: number) => [json, Either.merge(wanted[index] ?? Either.left(""))]
  const lefts = wanted.filter(Either.isLeft).length
  expect(found.map(Either.isLeft)).toEqual(wanted.map(Either.isLeft))
  expect(found.map((either, index) => [jsons[index], Either.merge(either)])).toStrictEqual(jsons.map(of))
  return [jsons.length - lefts, lefts]
}

describe("FromServer", () => {
  it.each(FromServer.names)("decodes results of %s as the schema does, with the same errors", (method) => {
    const schema: { readonly ast: SchemaAST.AST } = Methods.requests[method].result
    const [right, left] = compare(schema, (json) => FromServer.result(method, json))
    expect(right).toBeGreaterThan(0)
    expect(left).toBeGreaterThan(0)
  })

  it.each(Object.keys(Methods.serverNotifications).filter(FromServer.isNotification))(
    "decodes the params of %s as the schema does, with the same errors",
    (method) => {
      const schema: { readonly ast: SchemaAST.AST } = Methods.serverNotifications[method].params
      const [right, left] = compare(schema, (json) => FromServer.notification(method, json))
      expect(right).toBeGreaterThan(0)
      expect(left).toBeGreaterThan(0)
    },
  )

  it("knows every method, and which can be cancelled", () => {
    expect(FromServer.names).toEqual(Object.keys(Methods.requests))
    expect(FromServer.names.filter(FromServer.isCancellable)).toEqual(
      FromServer.names.filter(Methods.isCancellable),
    )
    expect(FromServer.isRequest("toString")).toBe(false)
    expect(FromServer.isNotification("process/read")).toBe(false)
  })

  it.each([
    ["process/read", {}, true],
    ["process/start", {}, false],
    ["process/write", { writeId: "1" }, true],
    ["process/write", {}, false],
    ["fs/remove", {}, true],
    ["fs/remove", { force: false }, false],
    ["fs/createDirectory", { recursive: true }, true],
    ["fs/createDirectory", { recursive: false }, false],
  ] as const)("knows whether %s with %j may be sent again: %s", (method, params, expected) => {
    expect(FromServer.isRepeatable(method, params)).toBe(expected)
  })
})
