/**
 * What a client receives, as the data that `decoding/ServerShapes.ts` has: written by `npm run schema` from the schemas
 * of the table, so that a client decodes it without them.
 */
import * as Option from "effect/Option"
import * as SchemaAST from "effect/SchemaAST"
import { type EventRow, events } from "../../features/Wires.ts"
import { Base64 } from "../Base64.ts"
import * as Integers from "../Integers.ts"
import * as Methods from "../Methods.ts"
import { StartParams } from "../Process.ts"
import { named } from "./Versions.ts"

const header = `/**
 * The part of the wire that a client needs as data, from the schemas of the table of methods: written by
 * \`npm run schema\`.
 *
 * A shape is the name of a struct or of a leaf (see \`FromServer\`), or words of which it is one. Behind it, \`[]\`
 * makes a list of it, \`{}\` an object of it; with \`~\` it may be null, with \`?\` absent, and \`=\` tells what
 * it is then.
 */
import type * as Schema from "effect/Schema"
import type { RequestMethod } from "../Methods.ts"
import type { StartParams } from "../Process.ts"

type Row = Pick<
  RequestMethod<never, Readonly<Record<string, unknown>>, never, never>,
  "repeatable" | "cancellable"
>

`

/** The text of the module. */
export const toText = (): string => {
  const structs = new Map<string, string>()
  const rows = Object.entries(Methods.requests).map(([name, row]) => {
    const { result, repeatable, cancellable }: Known = row
    const shape = shapeOf(result.ast, structs)
    return member(name, object({ result: shape, repeatable, cancellable }))
  })
  const notifications = Object.entries(Methods.serverNotifications).map(([name, { params }]) =>
    member(name, literal(shapeOf(params.ast, structs))),
  )
  const lines = [...structs].map(([name, fields]) => member(name, literal(fields)))
  return (
    header +
    `/** The requests, each with the shape of its result. */\nexport const requests: {\n` +
    `  readonly [name: string]: Row & { readonly result: string }\n} = {\n${rows.join("")}}\n\n` +
    `/** The notifications of the server, each with the shape of its params. */\n` +
    `export const notifications: { readonly [name: string]: string } = {\n${notifications.join("")}}\n\n` +
    `/** The structs, by their names: the fields, each with its shape. */\n` +
    `export const structs: { readonly [name: string]: string } = {\n${lines.join("")}}\n\n` +
    `/** The fields of a start, each with the capability that it needs; empty for none. */\n` +
    `export const startFields: { readonly [K in keyof Schema.Schema.Encoded<typeof StartParams>]-?: string } = {\n` +
    `${startFields().join("")}}\n\n` +
    `/** The fields of a read that have events of features, each with their kind. */\n` +
    `export const readEvents: { readonly [field: string]: string } = {\n${readEvents().join("")}}\n`
  )
}

const startFields = (): ReadonlyArray<string> =>
  Object.keys(StartParams.fields).map((name) =>
    member(name, literal(named.get(`WireExecParams.${name}`)?.capability ?? "")),
  )

const readEvents = (): ReadonlyArray<string> =>
  Object.entries(events).flatMap(([kind, { readField }]: readonly [string, EventRow]) =>
    readField === undefined ? [] : [member(readField, literal(kind))],
  )

interface Known {
  readonly result: { readonly ast: SchemaAST.AST }
  readonly repeatable?: unknown
  readonly cancellable?: true
}

/** A line as the formatter of this repository has it, or two where it is long. */
const member = (name: string, value: string): string => {
  const key = /^\w+$/.test(name) ? name : literal(name)
  const line = `  ${key}: ${value},\n`
  return line.length > 111 ? `  ${key}:\n    ${value},\n` : line
}

const literal = (text: string) => JSON.stringify(text)

const object = (members: object): string =>
  JSON.stringify(members)
    .replaceAll(/"(\w+)":/g, " $1: ")
    .replaceAll("}", " }")

const leaves: ReadonlyArray<readonly [name: string, schema: { readonly ast: SchemaAST.AST }]> = [
  ["bytes", Base64],
  ["bigint", Integers.BigU64],
  ["u64", Integers.U64],
  ["u53", Integers.U53],
  ["u16", Integers.U16],
  ["i32", Integers.I32],
]

/** The shape of a schema; the structs in it are added to those that are known. */
const shapeOf = (ast: SchemaAST.AST, structs: Map<string, string>): string => {
  const leaf = leaves.find(([, schema]) => schema.ast === ast)
  if (leaf !== undefined) return leaf[0]
  const name = Option.getOrUndefined(SchemaAST.getIdentifierAnnotation(ast))
  switch (ast._tag) {
    case "StringKeyword":
      return "string"
    case "BooleanKeyword":
      return "boolean"
    case "NumberKeyword":
      return "number"
    case "Literal":
      return typeof ast.literal === "string" ? `'${ast.literal}'` : String(ast.literal)
    case "Refinement":
      if (name === "Int") return "int"
      if (name === "ScreenColor") return "color"
      throw unknown(ast)
    case "TupleType":
      if (ast.elements.length > 0 || ast.rest.length !== 1) throw unknown(ast)
      return `${ast.rest.map(({ type }) => shapeOf(type, structs)).join("")}[]`
    case "TypeLiteral": {
      const [signature] = ast.indexSignatures
      if (signature !== undefined) return `${shapeOf(signature.type, structs)}{}`
      const fields = () => ast.propertySignatures.map((field) => fieldOf(field, structs))
      return added(ast, name, fields, structs)
    }
    case "Transformation": {
      const { from, transformation } = ast
      if (transformation._tag !== "TypeLiteralTransformation" || from._tag !== "TypeLiteral")
        throw unknown(ast)
      const fields = () =>
        from.propertySignatures.map((field) => {
          const found = transformation.propertySignatureTransformations.find(
            ({ from }) => from === field.name,
          )
          const absent = found && Option.getOrUndefined(found.decode(Option.none()))
          return `${fieldOf(field, structs)}${absent === undefined ? "" : `=${JSON.stringify(absent)}`}`
        })
      return added(ast, name, fields, structs)
    }
    case "Union": {
      const has = (wanted: (type: SchemaAST.AST) => boolean) => ast.types.some(wanted)
      const others = ast.types.filter((type) => !isUndefined(type) && !isNull(type))
      const shapes = others.map((type) => shapeOf(type, structs))
      if (shapes.length > 1 && !shapes.every((shape) => shape.startsWith("'"))) throw unknown(ast)
      return `${shapes.join("|")}${has(isNull) ? "~" : ""}${has(isUndefined) ? "?" : ""}`
    }
    default:
      throw unknown(ast)
  }
}

const isUndefined = ({ _tag }: SchemaAST.AST) => _tag === "UndefinedKeyword"
const isNull = (ast: SchemaAST.AST) => ast._tag === "Literal" && ast.literal === null

const fieldOf = ({ name, type, isOptional }: SchemaAST.PropertySignature, structs: Map<string, string>) => {
  const shape = shapeOf(type, structs)
  return `${String(name)}:${shape}${isOptional && !shape.endsWith("?") ? "?" : ""}`
}

const added = (
  ast: SchemaAST.AST,
  name: string | undefined,
  fieldsOf: () => ReadonlyArray<string>,
  structs: Map<string, string>,
): string => {
  if (name === undefined) throw unknown(ast)
  const known = structs.get(name)
  if (known === undefined) structs.set(name, "") // its place, before those of what it refers to
  const fields = fieldsOf().join(" ")
  if (known !== undefined && known !== fields) throw new Error(`two structs are called ${name}`)
  structs.set(name, fields)
  return name
}

const unknown = (ast: SchemaAST.AST) =>
  new Error(`a client cannot decode this yet, see core/protocol/decoding/FromServer.ts: ${String(ast)}`)
