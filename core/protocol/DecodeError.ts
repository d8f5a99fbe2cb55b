/**
 * The error text for params that do not decode: the first fault, in one line, with the field.
 *
 * The words are those of the peer implementation (``missing field `argv` ``, `invalid type: null, expected a boolean`);
 * the field is appended where the peer leaves it out.
 */
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as SchemaAST from "effect/SchemaAST"
import { describe } from "./Json.ts"

/** The text of the first fault in a failed decoding. */
export const toText = (error: ParseResult.ParseError): string => {
  const path: Array<string> = []
  let issue: ParseResult.ParseIssue = error.issue
  /** The name of a struct with defaults, which is a transformation: the inner struct has no name. */
  let name: string | undefined
  for (;;) {
    switch (issue._tag) {
      case "Pointer":
        path.push(...segments(issue.path))
        name = undefined
        issue = issue.issue
        break
      case "Composite":
        issue = isEnum(issue.ast) ? new ParseResult.Type(issue.ast, issue.actual) : first(issue.issues)
        break
      case "Transformation":
        name = identifierOf(issue.ast)
        issue = issue.issue
        break
      case "Refinement":
        issue = issue.issue
        break
      case "Missing":
        return missing(path)
      default:
        return `${leaf(issue, name)}${path.length > 0 ? ` (field \`${path.join(".")}\`)` : ""}`
    }
  }
}

const missing = (path: ReadonlyArray<string>): string => {
  const owner = path.slice(0, -1).join(".")
  return `missing field \`${path.at(-1) ?? ""}\`${path.length > 1 ? ` of \`${owner}\`` : ""}`
}

const leaf = (
  issue: ParseResult.Type | ParseResult.Unexpected | ParseResult.Forbidden,
  name: string | undefined,
): string => {
  if (issue._tag !== "Type") return issue.message ?? "unexpected value"
  if (issue.message !== undefined) return issue.message
  const variants = literals(issue.ast)
  if (variants.length === 0)
    return `invalid type: ${describe(issue.actual)}, expected ${expected(issue.ast, name)}`
  const wanted = `expected ${variants.length > 1 ? "one of " : ""}${variants.map((v) => `\`${v}\``).join(", ")}`
  return typeof issue.actual === "string"
    ? `unknown variant \`${issue.actual}\`, ${wanted}`
    : `invalid type: ${describe(issue.actual)}, ${wanted}`
}

const identifierOf = (ast: SchemaAST.AST): string | undefined =>
  Option.getOrUndefined(SchemaAST.getIdentifierAnnotation(ast))

const expected = (ast: SchemaAST.AST, name: string | undefined): string => {
  const identifier = identifierOf(ast) ?? name
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

/** True for a choice between string literals. */
const isEnum = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Union" &&
  ast.types.every((type) => type._tag === "Literal" && typeof type.literal === "string")

const first = (issues: ParseResult.SingleOrNonEmpty<ParseResult.ParseIssue>): ParseResult.ParseIssue =>
  "_tag" in issues ? issues : issues[0]

const segments = (path: ParseResult.Path): ReadonlyArray<string> =>
  (Array.isArray(path) ? path : [path]).map(String)
