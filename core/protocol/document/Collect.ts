/** Examples of every type, taken from those of the methods. */
import { nameOf, type JsonSchema } from "./Shape.ts"
import type { Wire } from "./Wire.ts"

type Value = { readonly [field: string]: unknown }

const isObject = (value: unknown): value is Value =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isType = (value: unknown, type: unknown): boolean => {
  if (Array.isArray(type)) return type.some((each) => isType(value, each))
  if (type === "null") return value === null
  if (type === "array") return Array.isArray(value)
  if (type === "object") return isObject(value)
  if (type === "integer") return Number.isInteger(value)
  return type === undefined || typeof value === type
}

const properties = (schema: JsonSchema) =>
  (schema["properties"] ?? {}) as { readonly [field: string]: JsonSchema }

/** Whether an example has more fields than another. */
const isRicher = (one: unknown, other: unknown): boolean =>
  isObject(one) && isObject(other) && Object.keys(one).length > Object.keys(other).length

/** An example of each type, by its name: that with the most fields. */
export const collect = ({ methods, types }: Wire): ReadonlyMap<string, unknown> => {
  const found = new Map<string, unknown>()

  /** Whether an alternative is meant: its type and the words in it fit. */
  const fits = (schema: JsonSchema, value: unknown): boolean => {
    const name = nameOf(schema)
    if (name !== undefined) return fits(types.get(name) ?? {}, value)
    if ("const" in schema && schema["const"] !== value) return false
    if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value)) return false
    if (Array.isArray(schema["anyOf"])) return schema["anyOf"].some((each: JsonSchema) => fits(each, value))
    if (!isType(value, schema["type"])) return false
    if (!isObject(value)) return true
    const tags = Object.entries(properties(schema)).filter(([, part]) => "const" in part || "enum" in part)
    return tags.every(([field, part]) => !Object.hasOwn(value, field) || fits(part, value[field]))
  }

  const visit = (schema: JsonSchema, value: unknown): void => {
    const name = nameOf(schema)
    if (name !== undefined) {
      if (!found.has(name) || isRicher(value, found.get(name))) found.set(name, value)
      return visit(types.get(name) ?? {}, value)
    }
    if (Array.isArray(schema["anyOf"])) {
      const chosen = schema["anyOf"].find((each: JsonSchema) => fits(each, value))
      if (chosen !== undefined) visit(chosen, value)
    }
    if (Array.isArray(value)) for (const item of value) visit((schema["items"] ?? {}) as JsonSchema, item)
    if (!isObject(value)) return undefined
    const others = schema["additionalProperties"] as JsonSchema | undefined
    for (const [field, part] of Object.entries(value)) visit(properties(schema)[field] ?? others ?? {}, part)
  }

  for (const { example, params, result } of methods) {
    for (const value of example.params ?? []) visit(params ?? {}, value)
    for (const value of example.result ?? []) visit(result ?? {}, value)
  }
  visit(
    { $ref: "#/$defs/W3cTraceContext" },
    { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: null },
  )
  return found
}
