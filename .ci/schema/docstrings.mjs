// @ts-check
// The docstrings of core/protocol and of the wires of features, by the name of a type, field or error code: `Type`,
// `Type.field`, `ErrorCode.name`.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** @typedef {Record<string, string>} Docstrings */

/** The words of a comment, in one line. @param {string} comment */
const words = (comment) =>
  comment
    .replace(/^\s*\/\*\*|\*\/\s*$/g, "")
    .replace(/^\s*\* {0,3}/gm, "")
    .trim()
    .replace(/\n(?=- )/g, "\n\n")
    .replace(/(?<!\n)\n(?!\n)/g, " ")
    .replace(/\n\n/g, "\n")

/** A statement at the top level, with the docstring in front of it. */
const statement =
  /(?:^(\/\*\*(?:(?!\*\/)[^])*\*\/)\n)?^(?:export )?const (\w+)((?:(?!^(?:\/\*\*|export |const |type |interface ))[^])*)/gm

const field = /^ +(\/\*\*(?:(?!\*\/)[^])*\*\/)\n +(\w+)[:,]/gm

/** The type that a statement declares. @param {string} body */
const typeOf = (body) =>
  /^ =\s+Shape\.(?:nothing|struct|partial|tagged|namedWords)\(\s*"(\w+)"/.exec(body)?.[1] ??
  /\bname: "(\w+)"/.exec(body)?.[1]

/** The types that have the fields of a part of a wire. @type {Record<string, string>} */
const typeOfPart = {
  capabilities: "PartialCapabilities",
  startFields: "WireExecParams",
  startedFields: "ExecResponse",
  readFields: "ReadResponse",
  closedFields: "ExecClosedNotification",
  rowFields: "ListedProcess",
}
const parts = /^ {2}(?=(?:capabilities|\w+Fields):)/m

/** The structs, or the lists of fields, whose fields another one has. @param {string} body */
const bases = (body) =>
  [
    ...body.matchAll(
      /\b(\w+)\.fields\b|Shape\.partial\("\w+", (\w+)\)|\.\.\.(\w+),|Shape\.struct\("\w+", (\w+)\)/g,
    ),
  ].map((found) => found.slice(1).find((name) => name !== undefined))

/**
 * A struct has the docstrings of those whose fields it has.
 * @param {string} text
 * @param {Docstrings} into
 */
const inherit = (text, into) => {
  const named = [...text.matchAll(statement)].map(([, , name = "", body = ""]) => ({
    name,
    body,
    type: typeOf(body) ?? name,
  }))
  for (const { body, type } of named) {
    for (const base of bases(body).map((name) => named.find((one) => one.name === name)?.type)) {
      const own = Object.entries(into).filter(([name]) => name.startsWith(`${base}.`))
      for (const [name, words] of own) into[name.replace(`${base}.`, `${type}.`)] ??= words
    }
  }
  return into
}

/**
 * The docstrings of a source.
 * @param {string} text
 * @param {string} module
 * @param {Docstrings} into
 */
const read = (text, module, into) => {
  for (const [, comment, name = "", body = ""] of text.matchAll(statement)) {
    const type = typeOf(body)
    if (type !== undefined && comment !== undefined && /^[A-Z]/.test(name)) into[type] ??= words(comment)
    if (module === "ErrorCode" && comment !== undefined) into[`ErrorCode.${name}`] = words(comment)
    for (const part of body.split(parts))
      for (const [, inner = "", field_ = ""] of part.matchAll(field))
        into[`${typeOfPart[part.split(":")[0] ?? ""] ?? type ?? name}.${field_}`] ??= words(inner)
  }
  return into
}

/**
 * The docstrings of both wires. Those of v0 come first for its types, whose names the current wire has, too.
 * @param {string} root
 * @returns {{ readonly "procwire": Docstrings, readonly "procwire.v0": Docstrings }}
 */
export const docstrings = (root) => {
  /** @param {string} path */
  const textOf = (path) => readFileSync(join(root, path), "utf8")
  const modules = readdirSync(join(root, "core/protocol"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => ({ module: file.replace(".ts", ""), text: textOf(`core/protocol/${file}`) }))
  const wires = readdirSync(join(root, "core/features"), { withFileTypes: true })
    .filter(({ name }) => existsSync(join(root, `core/features/${name}/wire.ts`)))
    .map(({ name }) => ({ module: name, text: textOf(`core/features/${name}/wire.ts`) }))
  const all = [...modules, ...wires]
  /** @type {Docstrings} */
  const current = {}
  for (const { text, module } of all) read(text, module, current)
  const text = all.map((one) => one.text).join("\n")
  inherit(text, inherit(text, current)) // twice: one that is inherited may inherit, too
  const textOfV0 = textOf("core/protocol/dialect/v0.ts")
  const v0 = inherit(textOfV0, read(textOfV0, "v0", {}))
  return { procwire: current, "procwire.v0": { ...current, ...v0 } }
}
