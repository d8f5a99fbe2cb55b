// @ts-check
// The types of the wire for Python, from the schema file: a TypedDict for each struct.

/** @typedef {{ readonly [keyword: string]: any }} Schema */

const keywords = new Set([
  "from",
  "class",
  "import",
  "pass",
  "global",
  "is",
  "in",
  "not",
  "or",
  "and",
  "as",
  "def",
])

/** A value of JSON as Python writes it. @param {unknown} value */
const literal = (value) =>
  value === true ? "True" : value === false ? "False" : value === null ? "None" : JSON.stringify(value)

/** @param {Schema} schema @returns {string} */
const typeOf = (schema) => {
  if (schema["$ref"] !== undefined) return `"${schema["$ref"].split("/").at(-1)}"`
  if (schema["const"] !== undefined) return `Literal[${literal(schema["const"])}]`
  if (schema["enum"] !== undefined) return `Literal[${schema["enum"].map(literal).join(", ")}]`
  if (schema["anyOf"] !== undefined) return `Union[${schema["anyOf"].map(typeOf).join(", ")}]`
  const { type } = schema
  if (Array.isArray(type)) return `Union[${type.map((one) => typeOf({ ...schema, type: one })).join(", ")}]`
  if (type === "array") return `List[${typeOf(schema["items"] ?? {})}]`
  if (type === "object" && typeof schema["additionalProperties"] === "object")
    return `Dict[str, ${typeOf(schema["additionalProperties"])}]`
  if (type === "object" && schema["properties"] === undefined) return "Dict[str, Any]"
  const plain = { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" }
  return plain[/** @type {keyof typeof plain} */ (type)] ?? "Any"
}

/** @param {string} text */
const docstring = (text) => {
  const lines = text
    .replaceAll("\\", "")
    .replace(/(.{1,104})(?:\s|$)/g, "    $1\n")
    .trimEnd()
  return `    """${lines.trimStart()}"""\n`
}

/** @param {string} name @param {Schema} schema */
const struct = (name, schema) => {
  const fields = Object.entries(schema["properties"] ?? {})
  const required = new Set(schema["required"] ?? [])
  const isFree = (/** @type {[string, Schema]} */ [field]) => !required.has(field)
  const rows = (/** @type {[string, Schema][]} */ some) =>
    some.map(([field, type]) => `    ${field}: ${typeOf(type)}\n`).join("")
  if (fields.some(([field]) => keywords.has(field))) {
    const all = fields.map(([field, type]) => `    ${JSON.stringify(field)}: ${typeOf(type)},\n`)
    return `${name} = TypedDict(${JSON.stringify(name)}, {\n${all.join("")}}, total=False)\n`
  }
  const needed = fields.filter((field) => !isFree(field))
  const free = fields.filter(isFree)
  const about = docstring(schema["description"] ?? name)
  if (needed.length === 0) return `class ${name}(TypedDict, total=False):\n${about}${rows(free)}`
  if (free.length === 0) return `class ${name}(TypedDict):\n${about}${rows(needed)}`
  return `class _${name}(TypedDict):\n${rows(needed)}\n\nclass ${name}(_${name}, total=False):\n${about}${rows(free)}`
}

const envelope = new Set(["RequestId", "Response", "ErrorResponse", "ClientMessage", "ServerMessage"])

/**
 * The module.
 * @param {Schema} schema
 * @param {Schema} meta
 */
export const pythonTypes = (schema, meta) => {
  const types = Object.entries(schema["$defs"]).filter(([name]) => !envelope.has(name))
  const structs = types.filter(([, type]) => type["properties"] !== undefined)
  const others = types.filter(([, type]) => type["properties"] === undefined)
  const methods = Object.entries(meta["methods"]).map(
    ([name, { idempotent }]) => `    ${JSON.stringify(name)}: ${JSON.stringify(idempotent ?? "never")},\n`,
  )
  const codes = Object.entries(meta["errors"]).map(
    ([name, { code }]) => `${name.replace(/[A-Z]/g, "_$&").toUpperCase()} = ${code}\n`,
  )
  return [
    '"""The types of the wire, from procwire.schema.json. Written by `npm run build`."""\n',
    "from typing import Any, Dict, List, Literal, TypedDict, Union\n",
    `WIRE_VERSION = ${JSON.stringify(schema["x-wire-version"])}\n`,
    `# The codes of errors.\n${codes.join("")}`,
    `# Whether a request whose answer was lost may be sent again.\nIDEMPOTENT = {\n${methods.join("")}}\n`,
    ...structs.map(([name, type]) => `\n${struct(name, type)}`),
    ...others.map(([name, type]) => `\n${name} = ${typeOf(type)}\n`),
  ].join("\n")
}
