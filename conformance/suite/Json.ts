/**
 * JSON as the suite sees it: typed values, tolerant parsing, and the raw text of an id.
 *
 * Ids on the wire are 64-bit integers, larger than a JavaScript number holds, so they are compared as text.
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** The value of a JSON text, or `undefined` when it is not JSON. */
export const parse = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** True if a value is a JSON object: not null and not an array. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The text of the top-level `id` of a reply, exactly as it was written. */
export const idText = (reply: string): string | undefined => {
  let depth = 0
  for (const token of reply.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    const text = token[0]
    if (text === "{" || text === "[") depth++
    else if (text === "}" || text === "]") depth--
    else if (text === '"id"' && depth === 1) {
      const rest = /^\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}]+)/.exec(reply.slice(token.index + text.length))
      if (rest !== null) return rest[1]
    }
  }
  return undefined
}

/** Structural equality; the order of members does not matter. */
export const same = (a: Json | undefined, b: Json | undefined): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, index) => same(value, b[index]))
  }
  if (isObject(a) && isObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...keys].every((key) => same(a[key], b[key]))
  }
  return a === b
}

export const clip = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`
