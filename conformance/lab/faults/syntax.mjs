// @ts-check
// Finds the place of a fault by a pattern of the syntax, and puts something else there.
//
// A pattern is a piece of a source: an expression, statements, members of a class or of an object, arguments. It is
// compared token by token, so that line breaks, quotes, semicolons and trailing commas do not matter, and it is found
// only where whole nodes stand: `a + b` is not in `x * a + b`. If a source has it no more, something was renamed:
// then names of the pattern stand for any name, each for one of its own. First only those that the source no longer
// has, then all of them.
//
// A pattern that is a template without substitutions, and is not there as such, is text inside of a template: a piece
// of a script or of SQL. Then `put` is such a template, too.
import ts from "typescript-5.6"

/**
 * @typedef {object} Token
 * @property {string} text
 * @property {number} start
 * @property {number} end
 * @property {boolean} named an identifier, or the name of a property
 * @property {boolean} quasi text of a template
 *
 * Tokens, and which of them begin and end a node: by the index of a token the parents of these nodes.
 * @typedef {{ tokens: Token[], begins: Set<number>[], ends: Set<number>[] }} Syntax
 *
 * @typedef {{ start: number, end: number, names: Map<string, string>, inside?: boolean }} Place what the names of the
 * pattern are there, and whether it is text inside of a template
 *
 * @typedef {{ text: string, why?: undefined } | { text?: undefined, why: string }} Planted
 */

/** In which source a pattern may stand: the first in which it is no syntax error. */
const surroundings = [
  ["async function* _() {", "}"],
  ["", ""],
  ["_ = ", ""],
  ["class _ {", "}"],
  ["_ = {", "}"],
  ["switch (_) {", "}"],
  ["type _ = ", ""],
  ["type _ = {", "}"],
  ["function _(", ") {}"],
  ["try {} ", ""],
]

/** Names that are never changed. */
const fixed = new Set(["undefined", "Infinity", "NaN"])

/** @param {string} text */
const parse = (text) => ts.createSourceFile("source.ts", text, ts.ScriptTarget.ESNext, true)

/**
 * The children of a node, without what only the format decides.
 * @param {ts.Node} node
 * @param {ts.SourceFile} file
 */
const childrenOf = (node, file) => {
  const children = node
    .getChildren(file)
    .filter((child) => !ts.isJSDoc(child) && child.kind !== ts.SyntaxKind.SemicolonToken)
  const isTrailing =
    node.kind === ts.SyntaxKind.SyntaxList && children.at(-1)?.kind === ts.SyntaxKind.CommaToken
  return isTrailing ? children.slice(0, -1) : children
}

/**
 * @param {string} text
 * @returns {Syntax}
 */
export const read = (text) => {
  const file = parse(text)
  /** @type {Syntax} */
  const syntax = { tokens: [], begins: [], ends: [] }
  const { tokens, begins, ends } = syntax
  let parents = 0
  /** @param {ts.Node} node @param {number} parent */
  const walk = (node, parent) => {
    const first = tokens.length
    const children = childrenOf(node, file)
    const own = ++parents
    for (const child of children) walk(child, own)
    const [start, end] = [node.getStart(file), node.end]
    if (children.length === 0 && start < end) {
      const named = ts.isIdentifier(node) || ts.isPrivateIdentifier(node)
      const text = ts.isStringLiteral(node) ? JSON.stringify(node.text) : node.getText(file)
      tokens.push({ text, start, end, named, quasi: ts.isTemplateLiteralToken(node) })
    }
    if (tokens.length === first) return
    ;(begins[first] ??= new Set()).add(parent)
    ;(ends[tokens.length - 1] ??= new Set()).add(parent)
  }
  walk(file, 0)
  return syntax
}

/** The number of syntax errors. @param {string} text */
const errorsIn = (text) => {
  const { parseDiagnostics } = /** @type {{ parseDiagnostics?: unknown[] }} */ (
    /** @type {unknown} */ (parse(text))
  )
  return parseDiagnostics?.length ?? 0
}

/**
 * The tokens of a pattern; none if it is no piece of a source.
 * @param {string} pattern
 * @returns {Token[]}
 */
const tokensOf = (pattern) => {
  for (const [before = "", after = ""] of surroundings) {
    const text = `${before}\n${pattern}\n${after}`
    if (errorsIn(text) > 0) continue
    const [from, to] = [before.length + 1, before.length + 1 + pattern.length]
    return read(text)
      .tokens.filter(({ start, end }) => start >= from && end <= to)
      .map((token) => ({ ...token, start: token.start - from, end: token.end - from }))
  }
  return []
}

/**
 * The names of a pattern at a token of a source; undefined if the pattern is not there.
 * @param {Syntax} source
 * @param {number} at
 * @param {readonly Token[]} pattern
 * @param {ReadonlySet<string>} free the names that stand for any name
 */
const namesAt = ({ tokens, begins, ends }, at, pattern, free) => {
  const last = ends[at + pattern.length - 1]
  if (last === undefined || ![...(begins[at] ?? [])].some((parent) => last.has(parent))) return undefined
  /** @type {Map<string, string>} */
  const names = new Map()
  /** @type {Map<string, string>} */
  const owners = new Map()
  for (const [index, { text, named }] of pattern.entries()) {
    const there = tokens[at + index]
    if (there === undefined || named !== there.named) return undefined
    if (named) {
      const name = names.get(text) ?? (free.has(text) ? there.text : text)
      if (there.text !== name || (owners.get(name) ?? text) !== text) return undefined
      names.set(text, name)
      owners.set(name, text)
    } else if (there.text !== text) return undefined
  }
  return names
}

/**
 * The places of the text of a template inside of the templates of a source.
 * @param {Syntax} source
 * @param {string} find
 * @returns {Place[]}
 */
const inTemplates = ({ tokens }, find) =>
  tokens.flatMap(({ text, start, quasi }) => {
    const pieces = quasi ? text.split(find.trim().slice(1, -1)).slice(0, -1) : []
    let at = start
    return pieces.map((piece) => {
      const begin = at + piece.length
      at = begin + find.trim().length - 2
      return { start: begin, end: at, names: new Map(), inside: true }
    })
  })

/**
 * The places of a pattern in a source. It is empty if the pattern is no piece of a source.
 * @param {string} source
 * @param {string} find
 * @returns {Place[]}
 */
export const occurrences = (source, find) => {
  const pattern = tokensOf(find)
  if (pattern.length === 0) return []
  const syntax = read(source)
  const known = new Set(syntax.tokens.map(({ text }) => text))
  const all = pattern.flatMap(({ text, named }) => (named && !fixed.has(text) ? [text] : []))
  const gone = all.filter((name) => !known.has(name))
  /** @param {readonly string[]} free */
  const places = (free) => {
    const any = new Set(free)
    return syntax.tokens.flatMap(({ start }, at) => {
      const names = namesAt(syntax, at, pattern, any)
      const end = syntax.tokens[at + pattern.length - 1]?.end ?? start
      return names === undefined ? [] : [{ start, end, names }]
    })
  }
  const [exact, ...looser] = [[], gone, all]
  let found = places(exact)
  const isText = pattern.length === 1 && pattern[0]?.quasi === true
  if (isText && found.length === 0) return inTemplates(syntax, find)
  for (const free of looser) if (found.length !== 1) found = places(free)
  return found
}

/**
 * A text with other names.
 * @param {string} text
 * @param {ReadonlyMap<string, string>} names
 */
const renamed = (text, names) => {
  let result = ""
  let done = 0
  for (const token of tokensOf(text)) {
    if (!token.named) continue
    result += text.slice(done, token.start) + (names.get(token.text) ?? token.text)
    done = token.end
  }
  return result + text.slice(done)
}

/**
 * A source in which `put` stands in the place of the pattern `find`, with the names that the source has there.
 * @param {string} source
 * @param {string} find
 * @param {string} put
 * @returns {Planted} the text, or why it cannot be planted
 */
export const plant = (source, find, put) => {
  if (tokensOf(find).length === 0) return { why: `no piece of a source: ${find}` }
  const found = occurrences(source, find)
  const [place] = found
  if (place === undefined || found.length > 1) return { why: `found ${found.length} times: ${find}` }
  const instead = place.inside === true ? put.trim().slice(1, -1) : renamed(put, place.names)
  const text = source.slice(0, place.start) + instead + source.slice(place.end)
  return errorsIn(text) > errorsIn(source) ? { why: `no syntax with this in its place: ${put}` } : { text }
}
