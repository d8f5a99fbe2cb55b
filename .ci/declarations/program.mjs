// @ts-check
// The compiler's view of its own declarations, and what can be asked of a part of them alone.
import ts from "typescript-5.6"
import { shownPackages } from "./text.mjs"
/** @import { Edit } from "./text.mjs" */

export const shown = new RegExp(
  `/node_modules/(?:@types/node|undici-types|@vitest/[^/]+|${shownPackages.join("|")})/`,
)
/** Types that the doors show plainly in place of a name: those of Effect, and shapes of the wire. */
export const ofEffect = /\/node_modules\/(?:effect|@effect\/[\w-]+)\/|\/dist\/core\/protocol\/shape\//

/** A type of Effect, which the type around it may yet say plainly. */
export class Hit extends Error {}

/** A declaration that cannot be said plainly. */
export class Fault extends Error {}
const options = /** @satisfies {ts.CompilerOptions} */ ({
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts"],
  types: ["node"],
  skipLibCheck: true,
})

/** The name that a bytes type has in every compiler. */
const bytes = /Uint8Array<ArrayBuffer(?:Like)?>/g

/**
 * @param {string} root
 * @param {readonly string[]} files
 */
export const programOf = (root, files) => {
  const host = ts.createCompilerHost({ ...options })
  host.getSourceFile = (name, version) => {
    const text = ts.sys.readFile(name)
    if (text === undefined) return undefined
    // Comments count where they may be copied. They are most of Effect.
    const { ParseAll, ParseNone } = ts.JSDocParsingMode
    const how = {
      ...(typeof version === "object" ? version : { languageVersion: version }),
      jsDocParsingMode: name.includes("/node_modules/") ? ParseNone : ParseAll,
    }
    return ts.createSourceFile(name, text.replaceAll(bytes, "Uint8Array"), how)
  }
  host.getCurrentDirectory = () => root
  return ts.createProgram([...files], options, host)
}

/** @param {ts.Node} node @returns {ts.Statement} the statement of a module that declares it */
export const statementOf = (node) => {
  let found = node
  while (!ts.isSourceFile(found.parent)) found = found.parent
  return /** @type {ts.Statement} */ (found)
}

/** @param {ts.Symbol} symbol */
export const isModule = (symbol) => symbol.declarations?.some(ts.isSourceFile) ?? false

/** @param {ts.Symbol} symbol */
export const isTopLevel = (symbol) =>
  symbol.declarations?.every(
    (node) =>
      ts.isSourceFile(node.parent) ||
      (ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent)),
  ) ?? false

/** @param {ts.Symbol} symbol */
export const isExported = (symbol) =>
  symbol.declarations?.some((node) =>
    ts.canHaveModifiers(/** @type {ts.Node} */ (statementOf(node)))
      ? ts
          .getModifiers(/** @type {ts.HasModifiers} */ (/** @type {unknown} */ (statementOf(node))))
          ?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      : false,
  ) ?? false

/** @param {ts.Node} node */
export const docOf = (node) => {
  const text = node.getSourceFile().text
  const docs = (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [])
    .map(({ pos, end }) => text.slice(pos, end))
    .filter((comment) => comment.startsWith("/**"))
  return docs.at(-1)
}

/** @param {ts.Node} node @param {readonly Edit[]} edits */
export const edited = (node, edits, start = node.getStart()) => {
  const { text } = node.getSourceFile()
  let out = ""
  let at = start
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    out += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return out + text.slice(at, node.end)
}

/** @param {ts.Node} node */
export const lineOf = (node) => {
  const { text } = node.getSourceFile()
  return text.slice(text.lastIndexOf("\n", node.getStart()) + 1)
}

/**
 * True if a child is the name that a node declares, and refers to nothing.
 * @param {ts.Node} node
 * @param {ts.Node} child
 */
export const isNameOf = (node, child) =>
  /** @type {{ name?: ts.Node }} */ (/** @type {unknown} */ (node)).name === child ||
  (ts.isTypePredicateNode(node) && node.parameterName === child) ||
  (ts.isNamedTupleMember(node) && node.name === child)
