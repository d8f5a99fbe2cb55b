/**
 * What a client reads when its params do not decode: the first fault, in one line, with the field.
 *
 * The words follow the peer implementation (``missing field `argv` ``, `invalid type: null, expected a
 * boolean`), with the field appended where the peer leaves it out.
 */
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as SchemaAST from "effect/SchemaAST"
import { describe } from "./Message.ts"

/** The text of the first fault in a failed decoding. */
export const toText = (error: ParseResult.ParseError): string => {
  const path: Array<string> = []
  let issue: ParseResult.ParseIssue = error.issue
  for (;;) {
    switch (issue._tag) {
      case "Pointer":
        path.push(...segments(issue.path))
        issue = issue.issue
        break
      case "Composite":
        if (literals(issue.ast).length > 0) return `${wrongVariant(issue)}${inField(path)}`
        issue = first(issue.issues)
        break
      case "Refinement":
      case "Transformation":
        issue = issue.issue
        break
      case "Missing":
        return `missing field \`${path.at(-1) ?? ""}\`${path.length > 1 ? ` of \`${path.slice(0, -1).join(".")}\`` : ""}`
      default:
        return `${leaf(issue)}${inField(path)}`
    }
  }
}

const leaf = (issue: ParseResult.Type | ParseResult.Unexpected | ParseResult.Forbidden): string => {
  if (issue._tag !== "Type") return issue.message ?? "unexpected value"
  if (issue.message !== undefined) return issue.message
  if (literals(issue.ast).length > 0) return wrongVariant(issue)
  return `invalid type: ${describe(issue.actual)}, expected ${expected(issue.ast)}`
}

const inField = (path: ReadonlyArray<string>): string => (path.length > 0 ? ` (field \`${path.join(".")}\`)` : "")

const wrongVariant = ({ ast, actual }: { readonly ast: SchemaAST.AST; readonly actual: unknown }): string => {
  const variants = literals(ast).map((variant) => `\`${variant}\``)
  const wanted = `expected ${variants.length > 1 ? "one of " : ""}${variants.join(", ")}`
  return typeof actual === "string"
    ? `unknown variant \`${actual}\`, ${wanted}`
    : `invalid type: ${describe(actual)}, ${wanted}`
}

const expected = (ast: SchemaAST.AST): string => {
  const identifier = Option.getOrUndefined(SchemaAST.getIdentifierAnnotation(ast))
  switch (ast._tag) {
    case "StringKeyword":
      return "a string"
    case "BooleanKeyword":
      return "a boolean"
    case "NumberKeyword":
      return "a number"
    case "TupleType":
      return "a sequence"
    case "ObjectKeyword":
      return "a map"
    case "TypeLiteral":
      return ast.indexSignatures.length > 0 ? "a map" : `struct ${identifier ?? ""}`.trimEnd()
    default:
      return identifier ?? "another type"
  }
}

const literals = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Literal"
    ? typeof ast.literal === "string"
      ? [ast.literal]
      : []
    : ast._tag === "Union"
      ? ast.types.flatMap(literals)
      : []

const first = (issues: ParseResult.SingleOrNonEmpty<ParseResult.ParseIssue>): ParseResult.ParseIssue =>
  "_tag" in issues ? issues : issues[0]

const segments = (path: ParseResult.Path): ReadonlyArray<string> =>
  (Array.isArray(path) ? path : [path]).map(String)
