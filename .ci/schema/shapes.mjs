// @ts-check
// The types of the wire as shapes that a language with static types can write down, from the schema file.

/** @typedef {{ readonly [keyword: string]: any }} Schema */

/**
 * A type. `words` is a choice of texts, `choice` one of several types.
 * @typedef {(
 *   | { readonly kind: "ref", readonly name: string }
 *   | { readonly kind: "text" | "integer" | "number" | "flag" | "any" }
 *   | { readonly kind: "words", readonly words: ReadonlyArray<string> }
 *   | { readonly kind: "constant", readonly value: string }
 *   | { readonly kind: "list" | "map", readonly of: Type }
 *   | { readonly kind: "choice", readonly of: ReadonlyArray<Type> }
 * )} Type
 */

/**
 * A member of an object. One that is `free` may be absent, one that is `nullable` may be null.
 * @typedef {{
 *   readonly name: string, readonly type: Type, readonly free: boolean, readonly nullable: boolean,
 *   readonly about: string
 * }} Field
 */

/** @typedef {{ readonly name: string, readonly about: string, readonly fields: ReadonlyArray<Field> }} Struct */
/** @typedef {{ readonly name: string, readonly about: string, readonly type: Type }} Alias */
/** @typedef {{ readonly name: string, readonly params?: string, readonly result?: string }} Method */

const plain = { string: "text", integer: "integer", number: "number", boolean: "flag" }

/** @param {Schema} schema @returns {{ readonly type: Type, readonly nullable: boolean }} */
const read = (schema) => {
  const parts = partsOf(schema)
  const rest = parts.filter((one) => one["type"] !== "null")
  const nullable = rest.length < parts.length
  const types = rest.map(one)
  const [first] = types
  if (first === undefined) return { type: { kind: "any" }, nullable }
  return { type: types.length === 1 ? first : { kind: "choice", of: types }, nullable }
}

/** The members of a union; a schema with several types is one, too. @param {Schema} schema @returns {ReadonlyArray<Schema>} */
const partsOf = (schema) => {
  if (schema["anyOf"] !== undefined) return schema["anyOf"]
  const { type } = schema
  return Array.isArray(type) ? type.map((each) => ({ ...schema, type: each })) : [schema]
}

/** @param {Schema} schema @returns {Type} */
const one = (schema) => {
  if (schema["$ref"] !== undefined) return { kind: "ref", name: schema["$ref"].split("/").at(-1) }
  if (typeof schema["const"] === "boolean") return { kind: "flag" }
  if (schema["const"] !== undefined) return { kind: "constant", value: schema["const"] }
  if (schema["enum"] !== undefined) return { kind: "words", words: schema["enum"] }
  const { additionalProperties, items, type } = schema
  if (type === "array") return { kind: "list", of: read(items ?? {}).type }
  if (type === "object" && typeof additionalProperties === "object")
    return { kind: "map", of: read(additionalProperties).type }
  return { kind: /** @type {any} */ (plain)[type] ?? "any" }
}

/** Messages are unions of everything: only what they consist of is written down. */
const messages = new Set(["ClientMessage", "ServerMessage"])

/**
 * The shapes of a wire.
 * @param {Schema} schema
 * @param {Schema} meta
 */
export const shapes = (schema, meta) => {
  /** @type {Struct[]} */
  const structs = []
  /** @type {Alias[]} */
  const aliases = []
  for (const [name, type] of Object.entries(/** @type {Schema} */ (schema["$defs"]))) {
    if (messages.has(name)) continue
    const about = type["description"] ?? name
    const required = new Set(type["required"] ?? [])
    const isStruct =
      type["properties"] !== undefined || (type["type"] === "object" && !("additionalProperties" in type))
    if (!isStruct) aliases.push({ name, about, type: read(type).type })
    else
      structs.push({
        name,
        about,
        fields: Object.entries(/** @type {Schema} */ (type["properties"] ?? {})).map(([field, inner]) => ({
          name: field,
          free: !required.has(field),
          about: inner["description"] ?? "",
          ...read(inner),
        })),
      })
  }
  /** @param {Schema | undefined} ref */
  const named = (ref) => ref?.["$ref"]?.split("/").at(-1)
  /** @type {Method[]} */
  const methods = Object.entries(/** @type {Schema} */ (meta["methods"])).map(([name, method]) => ({
    name,
    params: named(method["params"]),
    result: named(method["result"]),
  }))
  return { structs, aliases, methods, version: /** @type {string} */ (schema["x-wire-version"]) }
}

/**
 * A value as a typed program writes it again: without members that its type does not have, and without a null where the
 * member may be absent.
 * @param {unknown} value
 * @param {Type} type
 * @param {ReturnType<typeof shapes>} all
 * @returns {unknown}
 */
export const normal = (value, type, all) => {
  if (value === null || typeof value !== "object") return value
  if (type.kind === "list") return /** @type {unknown[]} */ (value).map((item) => normal(item, type.of, all))
  if (type.kind === "map")
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normal(item, type.of, all)]))
  if (type.kind === "choice") {
    const fitting = type.of.find((each) => fits(value, each, all))
    return fitting === undefined ? value : normal(value, fitting, all)
  }
  if (type.kind !== "ref") return value
  const alias = all.aliases.find(({ name }) => name === type.name)
  if (alias !== undefined) return normal(value, alias.type, all)
  const fields = all.structs.find(({ name }) => name === type.name)?.fields ?? []
  const members = /** @type {Record<string, unknown>} */ (value)
  return Object.fromEntries(
    fields.flatMap(({ free, name, type: inner }) =>
      members[name] === undefined || (free && members[name] === null)
        ? []
        : [[name, normal(members[name], inner, all)]],
    ),
  )
}

/** Whether a value can be of a type, by the constants and the members that it needs. @param {unknown} value @param {Type} type @param {ReturnType<typeof shapes>} all @returns {boolean} */
const fits = (value, type, all) => {
  if (type.kind !== "ref") return typeof value !== "object"
  const alias = all.aliases.find(({ name }) => name === type.name)
  if (alias !== undefined)
    return alias.type.kind !== "choice" || alias.type.of.some((each) => fits(value, each, all))
  const members = /** @type {Record<string, unknown>} */ (value)
  const fields = all.structs.find(({ name }) => name === type.name)?.fields ?? []
  return fields.every(({ free, name, type: inner }) => {
    if (inner.kind === "constant") return members[name] === inner.value
    const isOther = inner.kind === "words" && !inner.words.includes(String(members[name]))
    return free || (name in members && !isOther)
  })
}
