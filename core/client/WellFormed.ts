/**
 * Finds half characters in what is to be sent: a JavaScript string that was cut inside of a surrogate pair has no
 * UTF-8, and servers refuse the whole message that contains it.
 */
import { invalid } from "./OptionNames.ts"
import type { ClientError } from "./ClientError.ts"

/** The error for the first string, or key, in `value` with half a character; undefined if there is none. */
export const refusal = (value: unknown, place = ""): ClientError | undefined => {
  const found = find(value, place)
  if (found === undefined) return undefined
  const { text, place: where } = found
  const at = text.search(half)
  const unit = text.charCodeAt(at).toString(16).toUpperCase()
  return invalid(
    `${where === "" ? "the text" : where} has half a character at index ${at} (U+${unit}, a surrogate without the ` +
      "other one), as a string that was cut inside of an emoji has: text.toWellFormed() replaces it",
  )
}

interface Found {
  /** Its place, as `argv[1]` or `env.LANG`. */
  readonly place: string
  readonly text: string
}

const find = (value: unknown, place: string): Found | undefined => {
  if (typeof value === "string") return isWellFormed(value) ? undefined : { place, text: value }
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return undefined
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found = find(value[index], `${place}[${index}]`)
      if (found !== undefined) return found
    }
    return undefined
  }
  for (const key of Object.keys(value)) {
    if (!isWellFormed(key)) return { place: place === "" ? "a key" : `a key of ${place}`, text: key }
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (typeof member !== "string" && typeof member !== "object") continue
    const found = find(member, place === "" ? key : `${place}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

const half = /\p{Surrogate}/u

/** Every runtime has the method since 2023; the expression takes longer for long texts. */
const isWellFormed = (text: string): boolean => {
  const own = text as string & { isWellFormed?: () => boolean }
  return own.isWellFormed === undefined ? !half.test(text) : own.isWellFormed()
}
