/** Since which version each method, type and field is on the wire, and with which capability. */
import type { JsonSchema } from "./Shape.ts"
import { nameOf } from "./Shape.ts"
import * as Versions from "./Versions.ts"
import type { Wire } from "./Wire.ts"

/** The names of the types that a schema refers to, not through others. */
export const refersTo = (schema: unknown): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap(refersTo)
  if (typeof schema !== "object" || schema === null) return []
  const name = nameOf(schema as JsonSchema)
  return name === undefined ? Object.values(schema).flatMap(refersTo) : [name]
}

/** The fields of a struct. */
export const fieldsOf = (schema: JsonSchema): ReadonlyArray<readonly [name: string, JsonSchema]> =>
  Object.entries((schema["properties"] ?? {}) as { readonly [name: string]: JsonSchema })

/** The version of each type: that of the first thing that refers to it. */
export const ofTypes = ({ methods, name, types, version }: Wire): ReadonlyMap<string, string> => {
  const since = new Map<string, string>()
  const start = name === "procwire" ? Versions.first : version
  const visit = (type: string, from: string): void => {
    const known = since.get(type)
    if (known !== undefined && Versions.later(known, from) === from) return
    since.set(type, from)
    const schema = types.get(type) ?? {}
    const fields = fieldsOf(schema)
    if (fields.length === 0) for (const next of refersTo(schema)) visit(next, from)
    for (const [field, shape] of fields) {
      const version = Versions.named.get(`${type}.${field}`)?.version ?? start
      for (const next of refersTo(shape)) visit(next, Versions.later(from, version))
    }
  }
  visit("W3cTraceContext", start)
  for (const { name: method, params, result } of methods)
    for (const next of refersTo([params, result])) visit(next, Versions.named.get(method)?.version ?? start)
  return since
}
