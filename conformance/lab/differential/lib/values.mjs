// @ts-check
// JSON values without their types: looking into them, and putting numbers into texts that JavaScript has not.

/** @typedef {Record<string, unknown>} Members */

/** @param {unknown} value @returns {value is Members} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

/** The members of an object; none of anything else. @param {unknown} value @returns {Members} */
export const members = (value) => (isObject(value) ? value : {})

/** Stands for a number that JSON can write and JavaScript cannot. @param {string} number */
export const exactly = (number) => `@exactly ${number}`

/** The JSON text of a value, with the numbers of `exactly`. @param {unknown} value @returns {string} */
export const textOf = (value) =>
  (JSON.stringify(value) ?? "null").replaceAll(/"@exactly ([^"]*)"/g, (_, number) => String(number))

/** A parsed JSON text; undefined if it is none. @param {string} text @returns {unknown} */
export const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The bytes of a base64 text as text, one character each; what is no strict base64 says so. @param {unknown} base64 */
export const bytesOf = (base64) => {
  const bytes = Buffer.from(String(base64), "base64")
  return bytes.toString("base64") === base64 ? bytes.toString("latin1") : `no base64: ${base64}`
}

/** @param {string} text */
export const base64 = (text) => Buffer.from(text).toString("base64")
