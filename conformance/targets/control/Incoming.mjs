// @ts-check
/** What has come in: one text, read as a message. */
/** @typedef {import("./Parts.mjs").Message} Message */

/**
 * The `id` at the top of a message as it was written: it may have more digits than a number holds.
 * @param {string} text
 */
export const rawId = (text) => {
  let depth = 0
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)].map(([token]) => token)
  for (const [index, token] of tokens.entries()) {
    if (token === "{" || token === "[") depth++
    else if (token === "}" || token === "]") depth--
    else if (token === '"id"' && depth === 1 && tokens[index + 1] === ":") return tokens[index + 2]
  }
  return undefined
}

/** @param {any} value */
const isMessage = (value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const { id, method } = value
  if ("id" in value && typeof id !== "string" && !Number.isInteger(id)) return false
  return "method" in value ? typeof method === "string" : "result" in value || "error" in value
}

/**
 * Reads a text; throws if it is no message.
 * @param {string} text
 * @returns {Message}
 */
export const parse = (text) => {
  const value = JSON.parse(text)
  if (!isMessage(value)) throw new Error("no message")
  return value
}
