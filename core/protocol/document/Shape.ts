/**
 * JSON Schema (2020-12) of what is on the wire, from the shapes of the table.
 *
 * Structs and choices with a name become definitions; everything else is written where it is used. The schema tells the
 * form that a client should write: the server takes others, too (see `shape/Reading`). Unknown members are allowed
 * everywhere, because both sides ignore them.
 */
import type { Any, JsonSchema, Member } from "../shape/index.ts"

export type { JsonSchema } from "../shape/index.ts"

/** The schemas with names, by their names. */
export type Definitions = Map<string, JsonSchema>

/** The name of the definition that a schema is; undefined for one without a name. */
export const nameOf = ({ $ref }: JsonSchema): string | undefined =>
  typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : undefined

/** The schema of a value on the wire; named ones below it are added to `definitions`, and referred to. */
export const of = (shape: Any, definitions: Definitions): JsonSchema => {
  const name = ("name" in shape.form ? (shape.form.name ?? "") : "").replaceAll(/\W/g, "")
  if (name === "") return inline(shape, definitions)
  if (!definitions.has(name)) {
    definitions.set(name, {}) // its place, before those of what it refers to
    definitions.set(name, inline(shape, definitions))
  }
  return { $ref: `#/$defs/${name}` }
}

const inline = ({ form }: Any, definitions: Definitions): JsonSchema => {
  switch (form.kind) {
    case "leaf":
      return form.json
    case "words":
      return form.words.length === 1 ? { const: form.words[0] } : { type: "string", enum: form.words }
    case "list":
      return { type: "array", items: of(form.of, definitions) }
    case "map":
      return { type: "object", additionalProperties: of(form.of, definitions) }
    case "nullOr":
      return nullable(of(form.of, definitions))
    case "choice":
      return { anyOf: form.of.map((one) => of(one, definitions)) }
    case "struct":
      return struct(Object.entries(form.fields), definitions)
  }
}

const nullable = (schema: JsonSchema): JsonSchema =>
  typeof schema["type"] === "string" && schema["enum"] === undefined
    ? { ...schema, type: [schema["type"], "null"] }
    : { anyOf: [schema, { type: "null" }] }

const struct = (fields: ReadonlyArray<[string, Member]>, definitions: Definitions): JsonSchema => {
  if (fields.length === 0) return { type: "object" }
  const required = fields.filter(([, field]) => "form" in field).map(([name]) => name)
  const properties = fields.map(([name, field]) => {
    if ("form" in field) return [name, of(field, definitions)]
    const usual = field.absent?.()
    return [name, { ...of(field.shape, definitions), ...(usual === undefined ? {} : { default: usual }) }]
  })
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  }
}
